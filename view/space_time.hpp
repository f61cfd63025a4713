// A space-time diagram: time from left to right, a line for each process, machines as bands, messages as slanted lines.
#pragma once

#include <string>
#include <vector>

#include "analysis/timeline/timeline.hpp"

namespace dpm::view {

struct SpaceTime {
  std::string title, description;
  Timeline timeline;
  std::vector<std::string> process_names;  // by row
  std::vector<std::string> machine_names;  // by row
};

}  // namespace dpm::view
