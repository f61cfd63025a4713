// Pidfds: descriptors that stand for a process, and never for a later one that has got its number.
#pragma once

#include <cstdint>

#include "os/unique_fd.hpp"

namespace dpm {

UniqueFd open_process(std::uint32_t pid);  // empty if there is none
bool has_ended(int process_fd);
std::uint32_t process_of(int process_fd);  // its number; 0 if it has ended, or the descriptor is something else

}  // namespace dpm
