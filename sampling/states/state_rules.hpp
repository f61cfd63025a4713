// The table that makes a state of evidence: one rule a row, the first that fits decides.
//
// Rules for waits that a signal ends (letter S) go by the system call and its descriptor, which are part of the kernel's
// interface and stay. Those for waits that no signal ends (letter D) need the wait channel, the name of a function in the
// kernel, because one read() can wait for the disk, for an inode, or for memory. These names change between versions;
// what no rule fits is counted as unrecognised, with its evidence, and never guessed.
#pragma once

#include <optional>

#include "sampling/states/evidence.hpp"
#include "sampling/states/state.hpp"

namespace dpm::sampling {

// Letter R is cpu_run: whether it runs or queues is not in the evidence of one thread (sampling/states/cpu_split.hpp).
std::optional<State> state_of(const Evidence& evidence);

}  // namespace dpm::sampling
