// Writes steps as a scenario file has them. Of names that the reader resolves, only the name is needed.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "scenarios/behaviour/behaviour.hpp"

namespace dpm {

nlohmann::ordered_json written(const Steps& steps);
nlohmann::ordered_json written(const Handler& handler);

}  // namespace dpm
