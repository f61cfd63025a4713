// Messages that a trace shows as received before they can have been sent: a connection was attributed to the wrong
// process, or a call was recorded late.
#pragma once

#include "twin/recording.hpp"

namespace dpm::twin {

// Splits such messages: each becomes one that was sent and never received, and one that was received and never sent.
// Afterwards there is an order of all operations in which each message is sent before it is received. Returns how many
// messages it split.
std::uint64_t split_contradictions(Recording& recording);

}  // namespace dpm::twin
