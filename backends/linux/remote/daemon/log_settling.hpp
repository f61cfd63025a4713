// When a filter's log holds what its meters have had confirmed: what a program has done must be in the log that is
// fetched right after its end was reported.
//
// A filter is any program, so nobody can ask it. But what was confirmed is in the pipe to its standard input at least:
// once that has been empty for a while, and the filter waits for more, it has had its time to write. The standard
// filter writes when nothing has come for a tenth of a second (filter/meter_stream_filter.cpp).
#pragma once

#include <chrono>
#include <cstdint>

namespace dpm {

class LogSettling {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kStep{20};
  static constexpr std::chrono::milliseconds kQuiet{250};
  static constexpr std::chrono::seconds kPatience{5};  // a filter that is never quiet is fetched as it is

  explicit LogSettling(std::uint32_t filter) : filter_(filter), begun_(Clock::now()), busy_(begun_) {}

  // To be asked again after kStep until it is.
  bool is_over();

 private:
  std::uint32_t filter_;
  Clock::time_point begun_, busy_;  // when it was seen busy, last
};

}  // namespace dpm
