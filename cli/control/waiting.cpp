#include "cli/control/waiting.hpp"

namespace dpm::cli {

Woken wait_for(int input, const WhileWaiting& meanwhile) {
  using control::Connections;
  switch (meanwhile.machines->wait_for_input(input, meanwhile.patience())) {
    case Connections::Woken::input:
      return Woken::input;
    case Connections::Woken::interrupted:
      return Woken::interrupted;
    case Connections::Woken::reported:
    case Connections::Woken::timed_out:
      meanwhile.show_reports();
      break;
  }
  return Woken::shown;
}

}  // namespace dpm::cli
