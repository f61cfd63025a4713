// What one notified call costs the program in CPU time of its own: the kernel charges part of the way to the supervisor
// and back to the caller. Measured on this machine, now, with a process of our own; taken off every PROCTIME.
#pragma once

#include <cstdint>

namespace dpm {

// 0 if it could not be measured. Call it before threads are started: it forks.
std::uint64_t measure_call_cost_ns(bool sync_wake_up);

}  // namespace dpm
