// "--name value" and "--name=value" among the words of a session's command, wherever they stand.
#pragma once

#include <string>
#include <vector>

#include "control/controller/console.hpp"

namespace dpm::control {

struct WordOption {
  std::string name;   // with its dashes
  std::string value;  // empty if none follows
};

// Takes them out of the words.
std::vector<WordOption> take_options(Words& words);

}  // namespace dpm::control
