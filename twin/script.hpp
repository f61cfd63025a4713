// A process as it was recorded: its messages in their order, each to and from the process that it was, with the CPU
// time between them. What comes again and again is written once, with a count.
//
//   S(ask) W S(ask) W S(ask) W S(bye)   ->   3 x [S(ask) W] S(bye)
//
// Such a process reproduces its trace and reacts to nothing: it is what is left where its behaviour is not understood.
// If every process is one, the run cannot stop: the order of the trace is one in which each message is there when it is
// taken (contradictions.hpp), and a process that waits for the n-th message of another gets it at the latest then.
#pragma once

#include "twin/shapes.hpp"

namespace dpm::twin {

// Fills in the program of `twin`, the group of this one process.
void write_script(const Material& material, std::uint32_t process, TwinGroup& twin);

}  // namespace dpm::twin
