#include "scenarios/native/signals_held.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include "model/check.hpp"

namespace dpm::native {

SignalsHeld::SignalsHeld() {
  sigset_t held;
  sigemptyset(&held);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&held, signal);
  ::sigprocmask(SIG_BLOCK, &held, &before_);
  struct sigaction usual = {};
  usual.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &usual, &child_before_);
  descriptor_.reset(::signalfd(-1, &held, SFD_CLOEXEC | SFD_NONBLOCK));
}

SignalsHeld::~SignalsHeld() {
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
  ::sigaction(SIGCHLD, &child_before_, nullptr);
}

int SignalsHeld::take() const {
  signalfd_siginfo info{};
  DPM_CHECK(::read(descriptor_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info));
  return static_cast<int>(info.ssi_signo);
}

}  // namespace dpm::native
