// Tells kinds of messages apart by size, where the size decides what their receiver does.
#pragma once

#include "twin/shapes.hpp"

namespace dpm::twin {

// True if it told any apart.
bool tell_kinds_by_size(const Recording& recording, const Groups& groups, const Behaviours& behaviours, Kinds& kinds);

}  // namespace dpm::twin
