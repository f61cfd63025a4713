#include "formats/strace/strace_clock.hpp"

#include <algorithm>

namespace dpm {
namespace {

constexpr std::int64_t kHour = 3600LL * 1'000'000'000, kDay = 24 * kHour;
constexpr std::int64_t kLineStep = 1000;  // of lines that have no times
constexpr std::int64_t kEnd = std::int64_t{1} << 61;

}  // namespace

std::int64_t StraceClock::of_day(std::int64_t time_ns) {
  if (time_ns < last_of_day_ns_ - kDay / 2 && days_ns_ < kEnd) days_ns_ += kDay;
  last_of_day_ns_ = time_ns;
  return days_ns_ + time_ns;
}

std::int64_t StraceClock::time_ns(const StraceLine& line) {
  kind_ = std::min(kind_, line.time);
  switch (line.time) {
    case StraceTimeKind::none:
      return now_ns_ = std::min(now_ns_ + kLineStep, kEnd);
    case StraceTimeKind::relative:
      return now_ns_ = std::min(now_ns_ + line.time_ns, kEnd);
    case StraceTimeKind::seconds: {
      const std::int64_t second_ns = of_day(line.time_ns);
      in_second_ = second_ns == second_ns_ ? in_second_ + 1 : 0;
      second_ns_ = second_ns;
      return now_ns_ = second_ns + in_second_;
    }
    case StraceTimeKind::day:
      return now_ns_ = of_day(line.time_ns);
    case StraceTimeKind::epoch:
      return now_ns_ = line.time_ns;
  }
  return now_ns_;
}

}  // namespace dpm
