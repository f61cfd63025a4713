#include "cli/control/waiting.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace dpm::cli {

Woken wait_for(int input, const WhileWaiting& meanwhile) {
  constexpr int kFlushAfterMs = 200;
  while (true) {
    pollfd polled[] = {{input, POLLIN, 0}, {meanwhile.interruption, POLLIN, 0}, {meanwhile.reports, POLLIN, 0}};
    const int ready = poll(polled, 3, meanwhile.has_output_waiting() ? kFlushAfterMs : -1);
    if (ready < 0) continue;  // a signal: the terminal has another size, or we go on after a stop
    if (ready == 0) {
      meanwhile.flush_output();
      return Woken::shown;
    }
    signalfd_siginfo taken;
    if (polled[1].revents != 0 && read(meanwhile.interruption, &taken, sizeof taken) > 0) return Woken::interrupted;
    if (polled[2].revents != 0) {
      meanwhile.show_reports();
      return Woken::shown;
    }
    if (polled[0].revents != 0) return Woken::input;
  }
}

}  // namespace dpm::cli
