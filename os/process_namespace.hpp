// The process namespace of this process, and whether /proc is of it.
#pragma once

#include <cstdint>

namespace dpm {

// The number by which the kernel knows it. 0 if /proc does not tell.
std::uint32_t process_namespace();

// Whether the ids of processes here are others than those of the machine: in a container with process ids of its own.
bool has_own_process_ids();

// Whether /proc shows the processes of this namespace, under their ids here.
bool shows_own_process_ids();

}  // namespace dpm
