// The words of a line of an event script, with their columns.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace dpm {

struct ScriptWord {
  std::string_view text;
  std::size_t column = 0;  // from 1
};

// What blanks separate.
std::vector<ScriptWord> words_of(std::string_view line);
// The same, with ( ) , and comparisons as words of their own.
std::vector<ScriptWord> tokens_of(std::string_view line);

}  // namespace dpm
