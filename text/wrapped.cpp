#include "text/wrapped.hpp"

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

}  // namespace dpm
