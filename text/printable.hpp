// Makes text from outside safe for a terminal: control characters, characters that are not seen (such as those that turn the direction
// of the text) and bytes that are not UTF-8 are shown as "\x1b", so that a name cannot break a table, control the terminal or look like
// another.
#pragma once

#include <string>
#include <string_view>

namespace dpm {

std::string printable(std::string_view text);
// The same, but keeps line ends.
std::string printable_lines(std::string_view text);

}  // namespace dpm
