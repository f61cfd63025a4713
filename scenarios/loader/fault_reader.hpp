// Reads the faults of a scenario file: what breaks, and when.
#pragma once

#include <vector>

#include "model/scenario.hpp"
#include "scenarios/behaviour/name_groups.hpp"
#include "scenarios/document/reading.hpp"

namespace dpm {

// `faults`: the list, or null. What is wrong in it is a problem of `reading`, and left out.
std::vector<Fault> read_faults(const JsonNode* faults, const NameGroups& machines, const NameGroups& processes,
                               const Reading& reading);

}  // namespace dpm
