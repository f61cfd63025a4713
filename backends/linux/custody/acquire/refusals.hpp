// Explains to the user why the kernel refuses a step of acquiring a process, and what to do.
#pragma once

#include <optional>

#include "backends/linux/custody/acquire/target.hpp"
#include "model/result.hpp"
#include "model/time.hpp"

namespace dpm {

// We may not trace the process, or take descriptors from it (pidfd_getfd).
Error tracing_refused(const AcquireTarget& target, int error_number);
// Its own filters cannot be suspended while it makes calls for us.
Error suspension_refused(const AcquireTarget& target);
// The call that installs the filter failed.
Error filter_refused(const AcquireTarget& target, int error_number);
// It carries a meter's filter already.
std::optional<Error> metered_already(const AcquireTarget& target);
// None of its threads could be stopped.
Error unstoppable(const AcquireTarget& target, Duration waited);
Error has_ended(const AcquireTarget& target);

}  // namespace dpm
