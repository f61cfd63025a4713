// A call that waits for a supervisor that is dead.
#pragma once

#include <cstdint>

namespace dpm {

// The thread is in a call that waits for its filter's supervisor, taken by one or not. False where the kernel does not
// tell (wchan without symbols).
bool waits_for_supervisor(std::uint32_t pid, std::uint32_t tid);

// Takes the thread out of its waiting call for a moment, so that the kernel makes the call again under a new number:
// the thread notices nothing. A thread that waits elsewhere may see EINTR, so ask waits_for_supervisor() before. Needs
// the right to trace it; false if it could not be done, because somebody traces it already or it is gone.
bool restart_waiting_call(std::uint32_t tid);

}  // namespace dpm
