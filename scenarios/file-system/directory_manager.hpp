// Opens files: looks a name up in a directory, which the buffer manager holds.
//
//   OPEN   compute; LOOK_UP to the buffer manager, wait for the answer; compute; DONE to the request interpreter
#pragma once

#include "model/program.hpp"

namespace dpm::scenarios::file_system {

ProgramDescription directory_manager();

}  // namespace dpm::scenarios::file_system
