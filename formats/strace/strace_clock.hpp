// The times of a strace log on one axis. Times of the day go on after midnight, those of -r are added up, and lines without a time, or of one
// second (-t), are told apart by their order.
#pragma once

#include <cstdint>

#include "formats/strace/strace_line.hpp"

namespace dpm {

class StraceClock {
 public:
  // Of a line; never before that of the line before it, except where the recorder's clock was set back.
  std::int64_t time_ns(const StraceLine& line);

  // What the log has; none until a line was taken. The least exact one of all lines.
  StraceTimeKind kind() const { return kind_; }

 private:
  std::int64_t of_day(std::int64_t time_ns);

  StraceTimeKind kind_ = StraceTimeKind::epoch;
  std::int64_t now_ns_ = 0;
  std::int64_t days_ns_ = 0, last_of_day_ns_ = 0;
  std::int64_t second_ns_ = -1, in_second_ = 0;
};

}  // namespace dpm
