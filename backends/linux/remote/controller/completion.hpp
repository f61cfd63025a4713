// What a word the user is typing can become: a command, a job, a machine, a flag, a file of this machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backends/linux/remote/controller/computation.hpp"

namespace dpm::control {

struct Completion {
  std::string word;                     // what has been typed of it
  std::vector<std::string> candidates;  // that begin with it, sorted; a folder ends with '/'
};

// `line` ends where the cursor is. `machines` are those the user has used.
Completion complete(const Computation& computation, const std::vector<std::string>& machines, std::string_view line);

// The longest text that all candidates begin with.
std::string common_beginning(const std::vector<std::string>& candidates);

}  // namespace dpm::control
