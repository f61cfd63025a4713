// Where a user's programs keep what outlives them: $XDG_STATE_HOME/dpm, or ~/.local/state/dpm.
#pragma once

#include <string>

namespace dpm {

std::string state_folder();

}  // namespace dpm
