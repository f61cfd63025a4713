#include "cli/commands/delegated_command.hpp"

#include "model/check.hpp"

namespace dpm::cli {

int DelegatedCommand::run(Terminal& /*terminal*/) {
  DPM_CHECK(false);
  return kWrongInput;
}

}  // namespace dpm::cli
