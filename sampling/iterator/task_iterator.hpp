// Looks at all threads of the machine in one pass inside the kernel: an eBPF task iterator.
//
// It needs root, or CAP_BPF, CAP_PERFMON and the right to read addresses in /proc/kallsyms; a kernel with type information;
// and the namespace of process ids that the machine began with, because the kernel's records have those ids.
#pragma once

#include <memory>

#include "model/result.hpp"
#include "sampling/proc/task_table.hpp"

namespace dpm::sampling {

// The reason, and what helps, if it is not possible here.
Result<std::unique_ptr<TaskLooker>> open_task_iterator();

}  // namespace dpm::sampling
