// Rescues a program whose meter and keeper have both been killed. A launched program holds a descriptor of its own
// listener, so that its calls do not fail: they wait until a process takes that descriptor and answers.
//
//     program: read() … read() … read() ……………………………………… goes on
//     meter     ────────✖                    ▲
//     keeper    ─────────────✖               │ rescue(pid): pidfd_getfd, a new keeper,
//                                            │ and every call that waits is made again
//
// The ids of calls that the dead processes held are lost. Waiting threads are therefore taken out of their calls for a
// moment, so that the kernel makes these again under new ids (os/kernel/waiting_call.hpp). For processes that cannot be found
// or traced, the keeper lets go the ids before the first one that it sees.
#pragma once

#include <cstdint>

#include "backends/linux/program/metered_program.hpp"
#include "model/result.hpp"

namespace dpm {

enum class Custody {
  none,       // it does not carry a meter's filter
  kept,       // a keeper holds its program: take_over()
  abandoned,  // only the program itself holds its listener: rescue()
};
Custody custody_of(std::uint32_t pid);

// The calling process becomes the meter of an abandoned program, with a keeper. `pid` is any process of it. Refused, with
// the reason, if the program is not abandoned, or if we may not trace the process that has the descriptor. Whether calls
// on paths are notified (`exact_paths`) cannot be seen from outside; it is assumed not.
Result<MeteredProgram> rescue(std::uint32_t pid);

}  // namespace dpm
