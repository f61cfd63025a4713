// Reads a delay model: by name, from a file, or written in the scenario.
#pragma once

#include <filesystem>

#include "model/delay_model.hpp"
#include "scenarios/document/reading.hpp"

namespace dpm {

DelayModel read_delay_model(const JsonNode& node, const std::filesystem::path& folder, const Reading& reading);

}  // namespace dpm
