// Decides when a meter's events do not reach its filter any more, from what its link sees. A short break is not reported: the
// link connects again. No I/O.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace dpm {

struct LinkStatus {
  std::string problem;        // why the events do not reach the filter; empty: they do
  std::uint64_t waiting = 0;  // then: how many, in memory and on disk
  std::uint64_t lost = 0;     // then: how many are kept nowhere
  std::string left_in;        // then, at the end: the file that has those that wait
  friend bool operator==(const LinkStatus&, const LinkStatus&) = default;
};

class LinkWatch {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kUnconnectedMax{3};
  static constexpr std::chrono::seconds kUnconfirmedMax{8};  // a filter may pause

  struct Seen {
    bool is_connected = false;  // the collector has said where to continue
    std::uint64_t confirmed = 0, waiting = 0;
    std::string problem;  // of the last attempt to connect
  };

  explicit LinkWatch(Clock::time_point now) : good_at_(now) {}

  // The status, if it is not the one returned last.
  std::optional<LinkStatus> look(Clock::time_point now, Seen seen);

 private:
  Clock::time_point good_at_;    // when events last moved, or none waited
  std::uint64_t confirmed_ = 0;  // then
  LinkStatus told_;
};

}  // namespace dpm
