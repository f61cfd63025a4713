// Pidfds: descriptors that stand for a process, and never for a later one that has got its number. And processes that
// do not outlive us.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "backends/linux/kernel/unique_fd.hpp"

namespace dpm {

UniqueFd open_process(std::uint32_t pid);  // empty if there is none
bool has_ended(int process_fd);
std::uint32_t process_of(int process_fd);  // its number; 0 if it has ended, or the descriptor is something else

// As fork(); but the child is killed when the thread that forked it ends, and does not begin if that was before.
pid_t fork_bound();

}  // namespace dpm
