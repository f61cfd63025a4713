// Runs one command line by several workers together.
#pragma once

#include <cstdint>
#include <functional>

#include "answers/parallel/ranks/ranks.hpp"
#include "cli/command.hpp"

namespace dpm {

// What stands behind -j or --jobs on a command line; 1 without it, and for a number that the command itself refuses.
std::uint32_t jobs_of(int argc, char** argv);

// Called by each worker with the same words. The first prints what one worker alone would print, and returns its status; a
// command that cannot be divided on this trace is run by the first alone, with a note on stderr. The others return 0.
// All of make()'s commands are DividedCommands.
int run_divided(Ranks& ranks, const std::function<cli::Commands()>& make, int argc, char** argv, Terminal& terminal);

}  // namespace dpm
