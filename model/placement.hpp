// A placement puts processes on machines, by name, so that one file serves a simulation, a trace and a cluster.
#pragma once

#include <map>
#include <string>

namespace dpm {

struct Placement {
  std::string name;
  std::map<std::string, std::string> machine_of_process;
};

}  // namespace dpm
