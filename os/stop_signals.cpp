#include "os/stop_signals.hpp"

#include <sys/signalfd.h>

namespace dpm {

StopSignals::StopSignals() {
  ::sigemptyset(&set_);
  ::sigaddset(&set_, SIGINT);
  ::sigaddset(&set_, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &set_, &before_);
  fd_.reset(::signalfd(-1, &set_, SFD_CLOEXEC | SFD_NONBLOCK));
}

StopSignals::~StopSignals() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

int StopSignals::take() {
  signalfd_siginfo info = {};
  return ::read(fd_.get(), &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
}

}  // namespace dpm
