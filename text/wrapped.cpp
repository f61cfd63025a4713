#include "text/wrapped.hpp"

#include <algorithm>
#include <sstream>

#include "text/characters.hpp"

namespace dpm {

std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> units;  // what no line may divide
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!units.empty() && (word.starts_with('%') || word == "*")) {
      units.back() += ' ' + word;
    } else {
      units.push_back(word);
    }
  }
  std::vector<std::string> lines;
  for (const auto& unit : units) {
    if (lines.empty() || character_count(lines.back()) + 1 + character_count(unit) > width) {
      lines.push_back(unit);
    } else {
      lines.back() += ' ' + unit;
    }
  }
  return lines;
}

std::string broken_line(const std::string& line, std::size_t width) {
  constexpr std::size_t kHanging = 2;
  if (character_count(line) <= width) return line;
  const std::size_t indent = std::min({line.find_first_not_of(' '), line.size(), width / 2});
  std::string text;
  for (const std::string& part : wrapped(line, width - std::min(width, indent + kHanging)))
    text += (text.empty() ? std::string(indent, ' ') : '\n' + std::string(indent + kHanging, ' ')) + part;
  return text;
}

}  // namespace dpm
