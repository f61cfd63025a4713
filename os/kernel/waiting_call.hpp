// A call that waits for a supervisor that is dead.
#pragma once

#include <cstdint>

namespace dpm {

// Whether the thread is in a call that waits for its filter's supervisor, received by one or not. False if the kernel
// does not tell (wchan without symbols).
bool waits_for_supervisor(std::uint32_t pid, std::uint32_t tid);

// Interrupts the waiting call for a moment, so that the kernel restarts it under a new number: the thread notices
// nothing. A thread that waits elsewhere may see EINTR, so ask waits_for_supervisor() before. Needs the right to trace
// the thread. False if it could not be done, because another process traces the thread or the thread is gone.
bool restart_waiting_call(std::uint32_t tid);

}  // namespace dpm
