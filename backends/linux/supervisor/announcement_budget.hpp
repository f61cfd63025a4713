// Bounds the announcements of closed sockets in each second, so that their cost (closed_sockets.hpp) stays below what
// can be measured: after that many, listening pauses until the second is over. Announcements for other programs count
// as well, because they cost the same.
#pragma once

#include <cstdint>

namespace dpm {

class AnnouncementBudget {
 public:
  static constexpr std::uint64_t kEachSecond = 100;

  // Whether to listen from now on, after this many more announcements.
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
