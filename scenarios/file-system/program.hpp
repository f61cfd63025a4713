// The DEMOS/MP file system (thesis 5.3.1) and what is around it, as programs:
//
//   user ---> request_interpreter ---------> buffer_manager ---> disk_interface ---> disk
//                      `--> directory_manager ------^
//
// The four in the middle are the file system; users, disk and name_server are outside the computation. The top
// of each process's header tells what it does, and protocol.hpp what they say to each other.
//
// Numbers out of range end the process that has them with std::invalid_argument, which names the parameter.
#pragma once

#include <vector>

#include "model/program.hpp"

namespace dpm::scenarios::file_system {

std::vector<ProgramDescription> programs();

}  // namespace dpm::scenarios::file_system
