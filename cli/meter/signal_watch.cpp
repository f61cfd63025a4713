#include "cli/meter/signal_watch.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

#include "model/check.hpp"

namespace dpm::cli {

SignalWatch::SignalWatch(const std::vector<int>& signals, std::function<void()> on_signal)
    : end_(::eventfd(0, EFD_CLOEXEC)) {
  sigset_t watched;
  sigemptyset(&watched);
  for (const int signal : signals) sigaddset(&watched, signal);
  pthread_sigmask(SIG_BLOCK, &watched, &before_);
  signals_ = UniqueFd(::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
  DPM_CHECK(signals_ && end_);
  thread_ = std::thread([this, handle = std::move(on_signal)] { watch(handle); });
}

SignalWatch::~SignalWatch() {
  const std::uint64_t one = 1;
  DPM_CHECK(::write(end_.get(), &one, sizeof one) == sizeof one);
  thread_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void SignalWatch::watch(const std::function<void()>& on_signal) {
  pollfd polled[] = {{signals_.get(), POLLIN, 0}, {end_.get(), POLLIN, 0}};
  for (;;) {
    if (::poll(polled, 2, -1) < 0) continue;
    if (polled[1].revents != 0) return;
    signalfd_siginfo arrived;
    while (::read(signals_.get(), &arrived, sizeof arrived) == sizeof arrived) on_signal();
  }
}

}  // namespace dpm::cli
