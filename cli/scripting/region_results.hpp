// Whether the regions of two definitions could have been at once, as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/scripting/high_level_results.hpp"
#include "filter/scripts/region_collector.hpp"

namespace dpm::cli {

struct RegionQuestion {
  const EventScript& script;
  const RegionCollector& regions;
  std::size_t a = 0, b = 0;   // in EventScript::regions
  std::int64_t begin_ns = 0;  // of the trace
  NameOfProcess name_of;
};

// A part for each pair of processes, with the first regions that could have been at once, and the earliest cut in both.
std::string at_once_text(const RegionQuestion& question);
nlohmann::ordered_json at_once_json(const RegionQuestion& question);

}  // namespace dpm::cli
