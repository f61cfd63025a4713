// Completes the word that the user is typing: a command, a job, a machine, a flag or a file of this machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "control/controller/computation.hpp"

namespace dpm::control {

struct Completion {
  std::string word;                     // the part that has been typed
  std::vector<std::string> candidates;  // words that begin with it, sorted; a folder ends with '/'
};

// `line` ends where the cursor is. `machines` are those the user has used.
Completion complete(const Computation& computation, const std::vector<std::string>& machines, std::string_view line);

// The longest text that all candidates begin with.
std::string common_beginning(const std::vector<std::string>& candidates);

}  // namespace dpm::control
