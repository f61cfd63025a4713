// The CPU time that one notified call costs the program: the kernel charges part of the switch to the supervisor and
// back to the caller. It is measured on this machine with a trial process, and subtracted from every PROCTIME.
#pragma once

#include <cstdint>

namespace dpm {

// 0 if it could not be measured. Call it before threads are started: it forks.
std::uint64_t measure_call_cost_ns(bool sync_wake_up);

}  // namespace dpm
