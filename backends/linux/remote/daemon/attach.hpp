// `dpm meterd --attach`: what a launcher starts on a machine. Our standard input and output become a connection to the
// meterdaemon, which is started if none runs.
#pragma once

#include <string>

#include "backends/linux/remote/daemon/meterd.hpp"
#include "model/result.hpp"

namespace dpm {

struct AttachOptions {
  Meterd::Options meterd;  // of the daemon, should it have to be started
  bool stay = false;       // afterwards, until the daemon has ended
};

// Returns when either end has closed.
Result<void> attach(const AttachOptions& options);

// Where the daemon of this machine says what happens to it: "meterd.log" in the user's state folder.
Result<std::string> meterd_log(const std::string& machine);

}  // namespace dpm
