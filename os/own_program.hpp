// The file of the program that we are, to start it once more; and how a process is started that has nothing to do with
// our terminal, our signals and our descriptors.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "model/result.hpp"

namespace dpm {

std::string own_program();

// -1: /dev/null for input and output, ours for errors.
struct StandardStreams {
  int input = -1, output = -1, error = -1;
};

// A child that leads a session of its own, with every signal as it is by default. May be called beside other threads.
Result<pid_t> start_in_session(const std::vector<std::string>& command, const StandardStreams& streams);

}  // namespace dpm
