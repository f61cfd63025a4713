// Sentences in the lines of a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dpm {

// `text` in lines of at most `width` characters, broken at spaces. No character of a word is lost: a longer word has a
// line of its own, and is longer than `width`. A number keeps its "%", and a name its "*".
std::vector<std::string> wrapped(const std::string& text, std::size_t width);

// A line with its indentation, in lines of at most `width` characters, of which the second and later are indented further.
std::string broken_line(const std::string& line, std::size_t width);

}  // namespace dpm
