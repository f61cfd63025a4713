// Kinds of messages that are told apart by size, because the size decides what their receiver does.
#pragma once

#include "twin/shapes.hpp"

namespace dpm::twin {

// True if any are now.
bool tell_kinds_by_size(const Recording& recording, const Groups& groups, const Conducts& conducts, Kinds& kinds);

}  // namespace dpm::twin
