// continue_only [--no-sync-wake-up] COMMAND...: the least a supervisor can do. It is launched, notified of the same
// calls and receives them in the same loop as the meter, and lets each go on at once. What the meter costs beyond this
// is the meter's own doing.
#include <poll.h>

#include <cstdio>
#include <string>
#include <vector>

#include "backends/linux/kernel/seccomp_listener.hpp"
#include "backends/linux/launch.hpp"

namespace {

// The last process has ended.
bool has_hung_up(int listener) {
  pollfd item{listener, 0, 0};
  return ::poll(&item, 1, 0) == 1;
}

void serve(dpm::MeteredProgram& program, bool sync_wake_up) {
  dpm::SeccompListener listener(std::move(program.listener));
  if (sync_wake_up) listener.set_sync_wake_up(true);
  dpm::Notification& notification = program.slots[0];
  for (;;) {
    notification = {};
    const auto received = listener.receive(notification);
    if (received == dpm::SeccompListener::Received::one) {
      listener.let_go(notification.id);
    } else if (received == dpm::SeccompListener::Received::ended || has_hung_up(listener.fd())) {
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
