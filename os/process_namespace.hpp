// The process namespace of this process, and whether /proc is of it.
#pragma once

#include <cstdint>

namespace dpm {

// The number by which the kernel knows it. 0 if /proc does not tell.
std::uint32_t process_namespace();

// Whether /proc shows the processes of this namespace, under their ids here.
bool shows_own_process_ids();

}  // namespace dpm
