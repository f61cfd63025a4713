#include "analysis/history/replayed_timers.hpp"

#include <algorithm>

namespace dpm {

void ReplayedTimers::begin() {
  late_ns_.clear();
  limits_over_.clear();
  left_out_.clear();
}

std::optional<double> ReplayedTimers::end_of_wait(ReplayedProcess& process, double now_ns) const {
  auto wait = timers_.waits_ns.find(process.cursor);
  if (wait == timers_.waits_ns.end()) {
    wait = sleeps_.before_ns.find(process.cursor);
    if (wait == sleeps_.before_ns.end()) return std::nullopt;
  }
  if (std::exchange(process.timer_over, true)) return std::nullopt;
  process.timer_end_ns = now_ns + static_cast<double>(wait->second);
  const auto late = late_ns_.find(process.cursor);
  return late == late_ns_.end() ? process.timer_end_ns : std::min(process.timer_end_ns, late->second);
}

bool ReplayedTimers::leave_out_retry(ReplayedProcess& process) {
  const auto retry = timers_.retries.find(process.cursor);
  if (retry == timers_.retries.end()) return false;
  const auto late = late_ns_.find(process.cursor);
  if (late == late_ns_.end() || late->second >= process.timer_end_ns) return false;
  left_out_.emplace_back(retry->first, retry->second);
  process.cursor = retry->second;
  process.timer_over = true;  // of the event after the last of the retries, if that was given up
  return true;
}

std::uint32_t ReplayedTimers::send_late(std::uint32_t send, double at_ns) {
  const std::uint32_t event = timers_.late_answers.at(send);
  late_ns_[event] = at_ns;
  return event;
}

std::optional<std::int64_t> ReplayedTimers::limit_ns(std::uint32_t receive) const {
  const auto limit = timers_.limits_ns.find(receive);
  if (limit == timers_.limits_ns.end() || is_limit_over(receive)) return std::nullopt;
  return limit->second;
}

}  // namespace dpm
