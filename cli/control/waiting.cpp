#include "cli/control/waiting.hpp"

namespace dpm::cli {

Woken wait_for(int input, const WhileWaiting& meanwhile) {
  using control::Connections;
  constexpr std::chrono::milliseconds kFlushAfter{200};
  constexpr std::chrono::hours kAnyTime{1};
  while (true) {
    const bool has_output_waiting = meanwhile.has_output_waiting();
    switch (meanwhile.machines->wait_for_input(input, has_output_waiting ? kFlushAfter : kAnyTime)) {
      case Connections::Woken::input:
        return Woken::input;
      case Connections::Woken::interrupted:
        return Woken::interrupted;
      case Connections::Woken::reported:
        meanwhile.show_reports();
        return Woken::shown;
      case Connections::Woken::timed_out:
        if (!has_output_waiting) continue;
        meanwhile.flush_output();
        return Woken::shown;
    }
  }
}

}  // namespace dpm::cli
