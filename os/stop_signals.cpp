#include "os/stop_signals.hpp"

#include <sys/signalfd.h>

namespace dpm {
namespace {

bool is_ignored(int signal) {
  struct sigaction action = {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

StopSignals::StopSignals() {
  ::sigemptyset(&set_);
  ::sigaddset(&set_, SIGINT);
  ::sigaddset(&set_, SIGTERM);
  // A signal that is blocked is queued although it is ignored.
  for (const int signal : {SIGHUP, SIGQUIT})
    if (!is_ignored(signal)) ::sigaddset(&set_, signal);
  ::sigprocmask(SIG_BLOCK, &set_, &before_);
  fd_.reset(::signalfd(-1, &set_, SFD_CLOEXEC | SFD_NONBLOCK));
}

StopSignals::~StopSignals() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

bool StopSignals::take_end(bool has_command) {
  for (int signal = 0; (signal = take()) != 0;) {
    const bool is_of_keyboard = signal == SIGINT || signal == SIGQUIT;
    if (!is_of_keyboard || !has_command) return true;
  }
  return false;
}

int StopSignals::take() {
  signalfd_siginfo info = {};
  return ::read(fd_.get(), &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
}

}  // namespace dpm
