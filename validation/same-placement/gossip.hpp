// Random systems without any structure: every process sends to every other.
#pragma once

#include <cstdint>

#include "model/scenario.hpp"

namespace dpm::validation {

// `mean_s`: of a computation, so that the same system is available on any time scale.
Scenario gossip_system(std::uint64_t seed, double mean_s);

}  // namespace dpm::validation
