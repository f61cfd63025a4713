// What a scenario must fulfil before it can run: every name it uses is declared, once, and every number is in range.
#pragma once

#include "model/result.hpp"
#include "model/scenario.hpp"

namespace dpm {

Result<void> check_scenario(const Scenario& scenario);

}  // namespace dpm
