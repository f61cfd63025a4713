// A twin in which every process handles messages for ever would end before it begins.
#pragma once

#include "analysis/twin/shapes.hpp"

namespace dpm::twin {

// Where no process of the twin would end by itself: those outside, or all if there are none, end when they have handled
// as many messages as they did.
void give_an_end(const Material& material, Twin& twin);

}  // namespace dpm::twin
