// Text from outside for a person's terminal: control characters and bytes that are not UTF-8 are shown as "\x1b", so that a
// name can neither spoil a table nor command the terminal.
#pragma once

#include <string>
#include <string_view>

namespace dpm::cli {

std::string printable(std::string_view text);
// Keeps the ends of lines.
std::string printable_lines(std::string_view text);

}  // namespace dpm::cli
