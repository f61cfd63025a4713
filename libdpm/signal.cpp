#include <pthread.h>

#include <algorithm>
#include <cerrno>
#include <dpm/monitor/signal.hpp>

namespace dpm::monitor {

Signal::Signal(Monitor* owner, const char* function, const char* name, int number)
    : Named(owner, Kind::kSignal, function, name, true), number_(number) {
  sigemptyset(&set_);
  sigaddset(&set_, number);
  pthread_sigmask(SIG_BLOCK, &set_, nullptr);
}

bool Signal::send(pid_t process, Report report) {
  if (kill(process, number_) != 0) return false;
  happened(Action::kSend, process, report);
  return true;
}

bool Signal::receive(std::chrono::nanoseconds within, Report report) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + within;
  for (;;) {
    const auto left = std::max<std::chrono::nanoseconds>(end - Clock::now(), std::chrono::nanoseconds(0)).count();
    const timespec wait{left / 1'000'000'000, left % 1'000'000'000};
    if (sigtimedwait(&set_, nullptr, &wait) == number_) break;
    if (errno != EINTR) return false;
  }
  happened(Action::kReceive, ++received_, report);
  return true;
}

}  // namespace dpm::monitor
