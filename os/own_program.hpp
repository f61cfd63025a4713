// The running executable, and how to start a process that shares no terminal, signals or descriptors with us.
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

// Starts a child in its own session, with default signal actions. May be called while other threads run.
Result<pid_t> start_in_session(const std::vector<std::string>& command, const StandardStreams& streams);

}  // namespace dpm
