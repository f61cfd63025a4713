#include "cli/meter/flush_timer.hpp"

#include <sys/timerfd.h>

#include <cstdint>

namespace dpm::cli {
namespace {

constexpr long kPauseNs = 200'000'000;  // five packets a second at most, if few events come

}  // namespace

FlushTimer::FlushTimer() : timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {}

void FlushTimer::arm() {
  if (armed_.exchange(true)) return;
  itimerspec once = {};
  once.it_value.tv_nsec = kPauseNs;
  ::timerfd_settime(timer_.get(), 0, &once, nullptr);
}

void FlushTimer::take() {
  std::uint64_t times = 0;
  [[maybe_unused]] const auto got = ::read(timer_.get(), &times, sizeof times);
  armed_ = false;
}

}  // namespace dpm::cli
