#include "sampling/proc/sample_clock.hpp"

#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

namespace dpm::sampling {
namespace {

timespec timespec_of(std::uint64_t ns) {
  return {static_cast<time_t>(ns / kNsPerSecond), static_cast<long>(ns % kNsPerSecond)};
}

}  // namespace

std::uint64_t monotonic_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * kNsPerSecond + static_cast<std::uint64_t>(now.tv_nsec);
}

Result<SampleClock> SampleClock::start(std::uint64_t interval_ns) {
  UniqueFd timer(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!timer) return Error::from_errno("make a timer");
  const std::uint64_t first_ns = monotonic_ns() + interval_ns;
  const itimerspec times = {timespec_of(interval_ns), timespec_of(first_ns)};
  if (::timerfd_settime(timer.get(), TFD_TIMER_ABSTIME, &times, nullptr) != 0)
    return Error::from_errno("start a timer");
  return SampleClock(std::move(timer), interval_ns, first_ns);
}

bool SampleClock::take(SamplerAccount& account) {
  std::uint64_t passed = 0;
  if (::read(timer_.get(), &passed, sizeof passed) != sizeof passed || passed == 0) return false;
  account.missed += passed - 1;
  next_ns_ += (passed - 1) * interval_ns_;
  const std::uint64_t now_ns = monotonic_ns();
  const std::uint64_t delay_ns = now_ns - std::min(next_ns_, now_ns);
  next_ns_ += interval_ns_;
  account.delay_sum_ns += delay_ns;
  account.delay_most_ns = std::max(account.delay_most_ns, delay_ns);
  if (delay_ns > interval_ns_ / 10) ++account.late;
  return true;
}

}  // namespace dpm::sampling
