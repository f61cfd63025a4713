// Follows the threads of a process that runs already.
#pragma once

#include <cstdint>

#include "backends/linux/bpf/kernel_programs.hpp"

namespace dpm {

// All its threads, and from now on those that they start, are followed. Fails if the process has ended.
Result<void> follow_all_threads(std::uint32_t pid, KernelPrograms& programs);

}  // namespace dpm
