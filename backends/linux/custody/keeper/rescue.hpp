// When meter and keeper have both been killed. A launched program holds a descriptor of its own listener, so its calls
// do not fail then: they wait, until somebody takes that descriptor and answers.
//
//     program: read() … read() … read() ……………………………………… goes on
//     meter     ────────✖                    ▲
//     keeper    ─────────────✖               │ rescue(pid): pidfd_getfd, a new keeper,
//                                            │ and every call that waits is made anew
//
// Ids of calls that were in the hands of the dead are lost with their memory. Threads that wait are therefore taken out
// of their call for a moment, so that the kernel makes it again under a new id (kernel/waiting_call.hpp), and for
// processes that cannot be found or traced the keeper lets go the ids before the first that it sees.
#pragma once

#include <cstdint>

#include "backends/linux/capture/program/metered_program.hpp"
#include "model/result.hpp"

namespace dpm {

enum class Custody {
  none,       // it carries no filter of a meter
  kept,       // a keeper holds its program: take_over()
  abandoned,  // nobody holds its listener but the program itself: rescue()
};
Custody custody_of(std::uint32_t pid);

// The calling process becomes the meter of an abandoned program, with a keeper. `pid` is any process of it. Refused,
// with the reason, if it is not abandoned, or if we may not trace the process that has the descriptor. Whether its
// paths are notified (`exact_paths`) cannot be seen from outside and is taken as no.
Result<MeteredProgram> rescue(std::uint32_t pid);

}  // namespace dpm
