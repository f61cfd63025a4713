// The page of a trace that is about to be recorded: `dpm serve` as a process of its own. A viewer that is slow, or one that asks
// for much, costs the recording nothing but a share of the CPU.
#pragma once

#include <string>

#include "model/result.hpp"

namespace dpm::cli {

// Starts it for an output directory, which need not have a trace yet. It prints the address of the page on our standard error
// when there is one, lets go of the terminal, and ends by itself a minute after the recording has ended and the last viewer has gone.
Result<void> start_page(const std::string& output);

}  // namespace dpm::cli
