// Calls that a signal takes away between the supervisor's look and its answer. The kernel restarts such a call, or it
// fails with EINTR and the program makes it again. Either way its message must be recorded once.
#pragma once

#include <optional>

#include "backends/linux/supervisor/shared.hpp"
#include "backends/linux/supervisor/tracked_thread.hpp"

namespace dpm {

bool is_same_call(const Notification& one, const Notification& other);
// A call that comes again later than this after a signal was probably made again by the program, not by the kernel.
bool is_restart(LocalTime interrupted_at, LocalTime now);

// The answer that lets the thread's last call go found that it does not wait any more. Takes back what is recorded of it.
void note_unmade(Shared& shared, TrackedThread& thread, const Notification& notification);
// What was noted, if `notification` is that call again. A signal handler may have made other calls meanwhile.
std::optional<UnmadeCall> take_unmade(TrackedThread& thread, const Notification& notification, LocalTime now);

}  // namespace dpm
