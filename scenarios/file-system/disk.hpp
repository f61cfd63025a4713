// The disk. It has a machine of its own, whose CPU time stands for the disk's: seek, rotation and transfer. Commands
// are done one after the other; only the last of an operation takes time and is answered.
#pragma once

#include "model/program.hpp"

namespace dpm::scenarios::file_system {

ProgramDescription disk();

}  // namespace dpm::scenarios::file_system
