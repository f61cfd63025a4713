// How many announcements of closed sockets are taken in a second before we pause until it is over, so that their cost
// (closed_sockets.hpp) stays below what can be measured. Those of other programs count as well: they cost the same.
#pragma once

#include <cstdint>

namespace dpm {

class AnnouncementBudget {
 public:
  static constexpr std::uint64_t kEachSecond = 100;

  // This number came. Whether to listen from now on.
  bool listens_after(std::uint64_t announcements, std::int64_t now_ns) {
    constexpr std::int64_t kSecondNs = 1'000'000'000;
    if (now_ns - since_ns_ >= kSecondNs) {
      since_ns_ = now_ns;
      taken_ = 0;
    }
    taken_ += announcements;
    return taken_ < kEachSecond;
  }

 private:
  std::int64_t since_ns_ = 0;
  std::uint64_t taken_ = 0;
};

}  // namespace dpm
