// The process that looks into the programs of a machine (`dpm meterd --events`). It obeys one daemon, and ends with the
// connection to it: the programs go on and record nothing more.
#pragma once

#include <string>

#include "model/result.hpp"
#include "os/unique_fd.hpp"

namespace dpm::cli {

class EventMonitorProcess {
 public:
  // `machine` as in Meterd::Options.
  static Result<void> run(UniqueFd daemon, const std::string& machine);
};

}  // namespace dpm::cli
