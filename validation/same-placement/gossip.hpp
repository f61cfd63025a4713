// Random systems without any structure: everybody sends to everybody.
#pragma once

#include <cstdint>

#include "model/scenario.hpp"

namespace dpm::validation {

// `mean_s`: of a computation, so that the same system can be had on any time scale.
Scenario gossip_system(std::uint64_t seed, double mean_s);

}  // namespace dpm::validation
