// Messages that a trace shows as received before they can have been sent: who used a connection was told wrongly, or a
// call was recorded late.
#pragma once

#include "twin/recording.hpp"

namespace dpm::twin {

// Takes such messages apart: each becomes one that was sent and never received, and one that was received and never
// sent. After that there is an order of all ops in which each message is sent before it is received. Returns how many.
std::uint64_t take_contradictions_apart(Recording& recording);

}  // namespace dpm::twin
