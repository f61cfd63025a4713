// A process as it was recorded: its messages in their order, each to and from the same process, with the CPU time
// between them. What is repeated is written once, with a count.
//
//   S(ask) W S(ask) W S(ask) W S(bye)   ->   3 x [S(ask) W] S(bye)
//
// Such a process reproduces its trace and reacts to nothing: it is used where behaviour is not understood. If every
// process is a script, the run cannot block: there is an order of the trace in which each message has been sent when it
// is taken (contradictions.hpp), and a process that waits for the n-th message of another gets it by then.
#pragma once

#include "twin/shapes.hpp"

namespace dpm::twin {

// Fills in the program of `twin`, the group of this one process.
void write_script(const Material& material, std::uint32_t process, TwinGroup& twin);

}  // namespace dpm::twin
