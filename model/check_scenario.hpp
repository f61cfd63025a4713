// What a scenario must be before it can run: every name it uses is declared, once, and every number makes sense.
#pragma once

#include "model/result.hpp"
#include "model/scenario.hpp"

namespace dpm {

Result<void> check_scenario(const Scenario& scenario);

}  // namespace dpm
