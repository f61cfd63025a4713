// Messages that were sent and never received, by processes that never took one like them: a scenario must say so, or
// it is refused.
#pragma once

#include "twin/model.hpp"

namespace dpm::twin {

// Gives each program the messages it is sent and neither handles nor waits for.
void declare_unread(Twin& twin);

}  // namespace dpm::twin
