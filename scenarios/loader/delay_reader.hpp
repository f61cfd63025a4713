// Reads a delay model: by name, from a file, or written in the scenario.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "model/delay_model.hpp"
#include "scenarios/document/reading.hpp"

namespace dpm {

// "machines": ["red", "blue"] of `what`; both empty where that is a problem.
std::pair<std::string, std::string> read_two_machines(const JsonNode& machines, const char* what,
                                                      const Reading& reading);

DelayModel read_delay_model(const JsonNode& node, const std::filesystem::path& folder, const Reading& reading);

}  // namespace dpm
