#include "filter/scripts/script_words.hpp"

#include <algorithm>

namespace dpm {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kMarks = "(),=!<>";

}  // namespace

std::vector<ScriptWord> words_of(std::string_view line) {
  std::vector<ScriptWord> words;
  std::size_t at = 0;
  while ((at = line.find_first_not_of(kBlanks, at)) != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    words.push_back({line.substr(at, end - at), at + 1});
    at = end;
  }
  return words;
}

std::vector<ScriptWord> tokens_of(std::string_view line) {
  std::vector<ScriptWord> tokens;
  for (const ScriptWord& word : words_of(line)) {
    for (std::size_t at = 0; at < word.text.size();) {
      std::size_t bytes = 1;
      if (kMarks.find(word.text[at]) == std::string_view::npos)
        bytes = std::min(word.text.find_first_of(kMarks, at), word.text.size()) - at;
      else if (std::string_view("!<>").find(word.text[at]) != std::string_view::npos && at + 1 < word.text.size() &&
               word.text[at + 1] == '=')
        bytes = 2;
      tokens.push_back({word.text.substr(at, bytes), word.column + at});
      at += bytes;
    }
  }
  return tokens;
}

}  // namespace dpm
