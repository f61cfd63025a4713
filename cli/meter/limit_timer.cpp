#include "cli/meter/limit_timer.hpp"

#include <sys/timerfd.h>

#include <ctime>

namespace dpm::cli {

UniqueFd timer_after(const std::optional<Duration>& limit) {
  constexpr std::int64_t kSecondNs = 1'000'000'000;
  if (!limit) return {};
  UniqueFd timer(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  const itimerspec once = {{}, {limit->ns / kSecondNs, limit->ns % kSecondNs}};
  ::timerfd_settime(timer.get(), 0, &once, nullptr);
  return timer;
}

}  // namespace dpm::cli
