// Pidfds: descriptors for a process, never for a later process with the same pid.
#pragma once

#include <cstdint>
#include <optional>

#include "os/unique_fd.hpp"

namespace dpm {

UniqueFd open_process(std::uint32_t pid);  // empty if there is none
bool has_ended(int process_fd);
// As wait(2) reports it, of a process or thread that is gone: since Linux 6.15, if the descriptor was opened before.
std::optional<std::uint32_t> exit_code_of(int process_fd);
std::uint32_t process_of(int process_fd);  // its pid; 0 if it has ended or this is not a pidfd

}  // namespace dpm
