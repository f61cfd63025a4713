// Reads what a program prints once its meter is dead: a program that writes to a pipe without a reader is killed. For programs
// whose calls need no keeper.
#pragma once

#include <string>
#include <vector>

#include "model/result.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

// The process that reads the program's `outputs` calls this before the program runs, and before it holds anything that must not
// outlive it: the reader is a copy of it. The reader does nothing until the calling process has ended, then reads and
// discards, and ends with the last writer of the pipes. `program` is for ps.
Result<void> start_output_reader(const std::string& program, std::vector<UniqueFd> outputs);

}  // namespace dpm
