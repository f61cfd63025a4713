// The controller's command language (metering report 4.3): one command a line, its words separated by blanks.
//
//     addprocess foo red A 'two words' "a \"b\"" <data      # the rest is a comment
//
// In the report, words consist of digits, letters, '/' and '.'; here also of - _ : = , + @ % ~ [ ] and of letters beyond ASCII.
// Other characters must be quoted: '...' literally, "..." with \" and \\. A word that begins with '<' names the file for
// standard input. Comments begin with '#', or stand between (* and *) as in the report's appendix B.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"

namespace dpm::control {

struct CommandWords {
  std::vector<std::string> words;  // the command first; none in an empty line
  std::optional<std::string> input;
};

Result<CommandWords> read_words(std::string_view line);

// The word as it must be typed for read_words() to return it.
std::string quoted_word(std::string_view word);

}  // namespace dpm::control
