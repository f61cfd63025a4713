// The switchboard of the test: the file system's processes register when they start, users log out when they end, and
// when the last user has gone it stops all of them, so that all work is finished and counted.
//
// It receives in a fixed order (disk interface, buffer manager, directory manager, request interpreter, user 1, 2,
// ...), so its work does not depend on which message comes first: its part of a prediction is exact.
#pragma once

#include <vector>

#include "model/program.hpp"
#include "scenarios/file-system/settings.hpp"

namespace dpm::scenarios::file_system {

ProgramDescription name_server();

// What a process of the file system does first: REGISTER, and wait for the answer.
void register_at_name_server(MessageCalls& calls, const Settings& settings);

// `parameters`, and the one that register_at_name_server() reads.
std::vector<ParameterDescription> with_registration(std::vector<ParameterDescription> parameters);

}  // namespace dpm::scenarios::file_system
