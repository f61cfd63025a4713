// continue_only [--no-sync-wake-up] COMMAND...: the least a supervisor can do. It is launched, notified of the same
// calls and receives them in the same loop as the meter, and lets each go on at once. What the meter costs beyond this
// is the meter's own doing.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "backends/linux/kernel/seccomp_listener.hpp"
#include "backends/linux/launch.hpp"

namespace {

// Kernels before 6.11 do not tell whoever receives that the last process has ended.
void await_end(const dpm::SeccompListener& listener) {
  while (!listener.has_ended()) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  ::_exit(0);
}

void serve(dpm::MeteredProgram& program, bool sync_wake_up) {
  dpm::SeccompListener listener(std::move(program.listener));
  if (sync_wake_up) listener.set_sync_wake_up(true);
  std::thread(await_end, std::cref(listener)).detach();
  dpm::Notification& notification = program.slots[0];
  auto received = dpm::SeccompListener::Received::none;
  while (received != dpm::SeccompListener::Received::ended) {
    notification = {};
    received = listener.receive(notification);
    if (received == dpm::SeccompListener::Received::one) listener.let_go(notification.id);
  }
  ::_exit(0);  // with the other thread
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
}
