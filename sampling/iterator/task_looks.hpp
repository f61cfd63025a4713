// A record of the kernel's iterator as what /proc would show.
#pragma once

#include "sampling/iterator/kernel_symbols.hpp"
#include "sampling/iterator/task_record.h"
#include "sampling/proc/task_table.hpp"

namespace dpm::sampling {

// The letter of /proc/PID/stat for the bits of task_struct: __state and exit_state.
char letter_of(std::uint32_t state);

TaskLook look_of(const dpm_task_record& record, KernelSymbols& symbols);

}  // namespace dpm::sampling
