// Makes text from outside safe for a terminal: control characters and bytes that are not UTF-8 are shown as "\x1b", so
// that a name cannot break a table or control the terminal.
#pragma once

#include <string>
#include <string_view>

namespace dpm {

std::string printable(std::string_view text);
// The same, but keeps line ends.
std::string printable_lines(std::string_view text);

}  // namespace dpm
