// How often viewers are told that there is something new: as often as there is, unless their answers cost more than a share
// of a core. A program with many processes and messages then gets a picture each half a second instead of ten a second.
#pragma once

#include <algorithm>
#include <chrono>

namespace dpm::cli {

class TickPace {
 public:
  using Clock = std::chrono::steady_clock;

  // Of the time: a twentieth.
  static constexpr int kPauseFactor = 20;
  // News is never older, however many viewers ask.
  static constexpr std::chrono::milliseconds kPauseMost{500};

  // An answer took that long.
  void answered(Clock::duration took) { spent_ += took; }

  bool may_tell(Clock::time_point now) const {
    return now >= told_ + std::min<Clock::duration>(spent_ * kPauseFactor, kPauseMost);
  }
  void told(Clock::time_point now) {
    told_ = now;
    spent_ = {};
  }

 private:
  Clock::time_point told_{};
  Clock::duration spent_{};  // since then
};

}  // namespace dpm::cli
