// continue_only [--no-sync-wake-up] COMMAND...: the least a supervisor can do. It is launched, notified of the same
// calls and receives them in the same loop as the meter, and lets each continue at once. The rest of what the meter
// costs is its own work.
#include <sys/time.h>

#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include "backends/linux/program/launch.hpp"
#include "os/kernel/seccomp_listener.hpp"

namespace {

// Kernels before 6.11 do not wake a receiver when the last process has ended: it has to stop waiting and look.
void look_now_and_then() {
  struct sigaction action = {};
  action.sa_handler = [](int) {};
  ::sigaction(SIGALRM, &action, nullptr);
  constexpr timeval kTenth{0, 100'000};
  const itimerval timer{kTenth, kTenth};
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

void serve(dpm::MeteredProgram& program, bool sync_wake_up) {
  dpm::SeccompListener listener(std::move(program.listener));
  if (sync_wake_up) listener.set_sync_wake_up(true);
  dpm::Notification& notification = program.slots[0];
  look_now_and_then();
  for (;;) {
    notification = {};
    const auto received = listener.receive(notification);
    if (received == dpm::SeccompListener::Received::one) {
      listener.let_go(notification.id);
    } else if (received == dpm::SeccompListener::Received::ended || listener.has_ended()) {
      return;
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string> command(arguments + 1, arguments + count);
  const bool sync_wake_up = command.empty() || command.front() != "--no-sync-wake-up";
  if (!sync_wake_up) command.erase(command.begin());
  if (command.empty()) {
    std::fprintf(stderr, "usage: continue_only [--no-sync-wake-up] COMMAND...\n");
    return 2;
  }
  auto launched = dpm::launch(command, {});
  if (!launched) {
    std::fprintf(stderr, "continue_only: %s\n", launched.error().what.c_str());
    return 2;
  }
  launched->start();
  serve(launched->program(), sync_wake_up);
  return 0;
}
