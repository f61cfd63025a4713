// Reads the study part of a scenario file: sweeps, analyses, predictions, published figures, and which runs to make.
#pragma once

#include "scenarios/behaviour/name_groups.hpp"
#include "scenarios/scenario_file.hpp"

namespace dpm {

// Fills in the study part of `file`, whose parameters, placements and seed are read already.
void read_study(ObjectReader& root, const Reading& reading, const NameGroups& processes, ScenarioFile& file);

}  // namespace dpm
