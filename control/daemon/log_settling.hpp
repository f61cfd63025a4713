// When a filter's log holds all events that its meters know to be delivered: a log that is fetched right after a
// program's end must hold what the program did.
//
// A filter is any program, so it cannot be asked. But delivered events are at least in the pipe to its standard input.
// When the pipe has been empty for a while and the filter waits for more, it has had the time to write. The standard
// filter writes when nothing has come for a tenth of a second (filter/filter_input.cpp).
#pragma once

#include <chrono>
#include <cstdint>

namespace dpm {

class LogSettling {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kStep{20};
  static constexpr std::chrono::milliseconds kQuiet{250};
  static constexpr std::chrono::seconds kPatience{5};  // the log of a filter that is never quiet is fetched as it is

  // `filter`: its pid; 0: it has ended.
  explicit LogSettling(std::uint32_t filter) : filter_(filter), begun_(Clock::now()), busy_(begun_) {}

  // Call it again after kStep until it is true.
  bool is_over();

 private:
  std::uint32_t filter_;
  Clock::time_point begun_, busy_;  // when it was last seen busy
};

}  // namespace dpm
