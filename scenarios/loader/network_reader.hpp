// Reads "network": random delays, losses and limited rates of the links between machines.
#pragma once

#include <vector>

#include "model/scenario.hpp"
#include "scenarios/behaviour/name_groups.hpp"
#include "scenarios/document/reading.hpp"

namespace dpm {

std::vector<LinkDescription> read_network(const JsonNode* node, const NameGroups& machines, const Reading& reading);

}  // namespace dpm
