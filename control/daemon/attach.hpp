// `dpm meterd --attach`: the command that a launcher starts on a machine. It connects its standard input and output to the
// meterdaemon, and starts one if none runs.
#pragma once

#include <string>

#include "control/daemon/meterd.hpp"
#include "model/result.hpp"

namespace dpm {

struct AttachOptions {
  Meterd::Options meterd;  // if a daemon has to be started
  bool stay = false;       // do not return before the daemon has ended
};

// Returns when either end has closed.
Result<void> attach(const AttachOptions& options);

// The log of this machine's daemon: "meterd.log" in the user's state folder.
Result<std::string> meterd_log(const std::string& machine);

}  // namespace dpm
