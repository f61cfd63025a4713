// Where a user's programs keep what is to last from one session to the next.
#pragma once

#include <string>

namespace dpm::cli {

// $XDG_STATE_HOME/dpm or ~/.local/state/dpm, made for the user alone if it is not there; empty when it cannot be.
std::string user_state_folder();

}  // namespace dpm::cli
