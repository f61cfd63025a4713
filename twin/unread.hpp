// Messages that were sent and never received, by processes that never took one like them: a scenario must declare them,
// or it is refused.
#pragma once

#include "twin/model.hpp"

namespace dpm::twin {

// Gives each program the messages that are sent to it and that it neither handles nor waits for.
void declare_unread(Twin& twin);

}  // namespace dpm::twin
