// Programs that start the processes of a computation on other machines themselves, as mpirun does. They bypass the daemons
// there, so these processes are metered only if the launched agents are.
#pragma once

#include <string>
#include <vector>

namespace dpm::control {

// What to tell the user about the process: the rest of a sentence that begins with its name. Empty for other programs, and if
// the arguments start something under `dpm meter`.
std::string remark_on_ranks(const std::string& file, const std::vector<std::string>& arguments);

}  // namespace dpm::control
