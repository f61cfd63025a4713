#include "cli/meter/descriptor_watch.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

#include "model/check.hpp"

namespace dpm::cli {

SignalDescriptor::SignalDescriptor(const std::vector<int>& signals) {
  sigset_t taken;
  sigemptyset(&taken);
  for (const int signal : signals) sigaddset(&taken, signal);
  pthread_sigmask(SIG_BLOCK, &taken, &before_);
  fd_ = UniqueFd(::signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK));
  DPM_CHECK(fd_);
}

SignalDescriptor::~SignalDescriptor() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

bool SignalDescriptor::take() {
  signalfd_siginfo signal;
  return ::read(fd_.get(), &signal, sizeof signal) == sizeof signal;
}

DescriptorWatch::DescriptorWatch(std::vector<Watched> watched)
    : watched_(std::move(watched)), end_(::eventfd(0, EFD_CLOEXEC)) {
  DPM_CHECK(end_);
  thread_ = std::thread([this] { run(); });
}

DescriptorWatch::~DescriptorWatch() {
  const std::uint64_t one = 1;
  DPM_CHECK(::write(end_.get(), &one, sizeof one) == sizeof one);
  thread_.join();
}

void DescriptorWatch::run() {
  std::vector<pollfd> polled = {{end_.get(), POLLIN, 0}};
  for (const auto& watched : watched_) polled.push_back({watched.fd, POLLIN, 0});
  for (;;) {
    if (::poll(polled.data(), polled.size(), -1) < 0) continue;
    if (polled.front().revents != 0) return;
    for (std::size_t i = 0; i < watched_.size(); ++i)
      if (polled[i + 1].revents != 0) watched_[i].handle();
  }
}

}  // namespace dpm::cli
