// Meters a running process with all its threads, whether they wait or compute. The process notices nothing: interrupted
// calls are made again, and return what they would have returned.
//
// One of its threads makes a few system calls for us (injection.hpp), in less than a millisecond. The filter remains as
// long as the process lives, and its later children inherit it. (Children that it has already are acquired separately.)
//
// Letting go. The kernel cannot remove a filter, so the calls of an acquired program go on being notified. When its meter
// has stopped, its keeper answers each notified call at once, which costs the program 6 to 10 us each, and 0.06 us for
// each other call, until it ends.
#pragma once

#include <cstdint>

#include "backends/linux/program/metered_program.hpp"
#include "model/result.hpp"
#include "model/time.hpp"

namespace dpm {

struct AcquireOptions {
  bool exact_paths = false;  // as in LaunchOptions
  // A process without CAP_SYS_ADMIN can be metered only with no_new_privs, which is permanent:
  // MeteredProgram.privileges_given_up.
  bool allow_no_new_privileges = true;
  Duration patience = Duration::from_seconds(5);  // for threads that cannot be stopped at the moment
};

// The result has a keeper, so that calls are answered from the filter's first moment on. Refused with the reason, and
// without any change, if `pid` is not a process, is a kernel thread, our own process or the first one, if we may not trace
// it, if it is traced, metered or under another supervisor already, is a 32-bit program, or has threads under different
// filters.
Result<MeteredProgram> acquire(std::uint32_t pid, const AcquireOptions& options);

}  // namespace dpm
