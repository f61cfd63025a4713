// How much of the output of one process is shown (metering report 3.5.2).
//
// A process may print faster than a terminal shows and a user reads. So the first kBurstBytes are shown, then
// kBytesPerSecond on average; the rest is counted, and the count is shown in its place. Output that goes to a file is
// not cut. No I/O.
//
//     add() ──► lines, while there is room ──► the room is used up: counted for kCutFor ──► the count, then lines again
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "control/controller/output_lines.hpp"

namespace dpm::control {

class ProcessOutput {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::int64_t kBurstBytes = 256 * 1024;
  static constexpr std::int64_t kBytesPerSecond = 16 * 1024;
  static constexpr std::chrono::milliseconds kCutFor{1000};
  // An incomplete line, or a count, is shown after this time without output.
  static constexpr std::chrono::milliseconds kShownAfter{200};

  // What to show, in this order.
  struct Shown {
    std::uint64_t cut_bytes = 0, cut_lines = 0;  // printed before the lines, and not shown
    std::vector<std::string> lines;
  };

  // `mark_bytes`: of the mark before each line. `room`: what may be shown of all processes. Times do not go back.
  Shown add(std::string_view bytes, std::size_t mark_bytes, std::size_t room, Clock::time_point now);
  // Nothing is cut.
  Shown add_all(std::string_view bytes, Clock::time_point now);
  // The incomplete line, and what was not shown so far.
  Shown flush();
  bool has_pending() const { return lines_.has_pending() || cut_bytes_ > 0; }
  bool is_late(Clock::time_point now) const { return has_pending() && now - added_at_ >= kShownAfter; }

 private:
  void refill(Clock::time_point now);
  void cut(std::string_view bytes);
  std::string_view after_cut_line(std::string_view bytes);
  void take_cut(Shown& shown);

  OutputLines lines_;
  std::int64_t room_bytes_ = kBurstBytes;  // below 0: more was shown than there was room for
  Clock::time_point filled_at_{}, added_at_{};
  bool is_cutting_ = false;
  bool is_inside_cut_line_ = false;
  Clock::time_point cutting_since_{};
  std::uint64_t cut_bytes_ = 0, cut_lines_ = 0;
};

}  // namespace dpm::control
