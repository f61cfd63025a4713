// Meters a process that runs already, with all its threads, whatever they are waiting in or computing. It notices
// nothing: calls that are interrupted are made again, and return what they would have returned.
//
// One of its threads makes a few system calls for us (injection.hpp), in less than a millisecond, of which the filter
// remains for as long as the process lives, and is inherited by its children. (Children that it has already are
// processes of their own, to be acquired or not.)
//
// Letting go. The kernel takes no filter back: a program that was acquired goes on being notified. When its
// LinuxSource has stopped, its keeper answers each notified call at once, for ever, which costs the program 6 to 10 us
// each, and 0.06 us for each other call.
#pragma once

#include <cstdint>

#include "backends/linux/capture/program/metered_program.hpp"
#include "model/result.hpp"
#include "model/time.hpp"

namespace dpm {

struct AcquireOptions {
  bool exact_paths = false;  // as in LaunchOptions
  // A process without CAP_SYS_ADMIN can be metered only with no_new_privs, for ever:
  // MeteredProgram.privileges_given_up.
  bool allow_no_new_privileges = true;
  Duration patience = Duration::from_seconds(5);  // for a thread that cannot be stopped at the moment
};

// With its keeper at work already: from the filter's first moment there is somebody to answer. Refused with the reason,
// and nothing has changed, if `pid` is no process, is one of the kernel's, our own or the first, if we have no right to
// trace it, if it is traced, metered or under another supervisor already, is a 32-bit program, or has threads under
// different filters.
Result<MeteredProgram> acquire(std::uint32_t pid, const AcquireOptions& options);

}  // namespace dpm
