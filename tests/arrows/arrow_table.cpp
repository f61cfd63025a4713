#include "tests/arrows/arrow_table.hpp"

#include <map>
#include <sstream>

#include "tests/arrows/arrow_rules.hpp"

namespace dpm {
namespace {

const std::string kBegin = "<!-- arrows -->\n";
const std::string kEnd = "<!-- /arrows -->\n";

// What "| `folder` | description | ... |" says, by folder.
std::map<std::string, std::string> descriptions(const std::string& table) {
  std::map<std::string, std::string> by_folder;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    const auto begin = line.find('`'), end = line.find('`', begin + 1);
    const auto first = line.find(" | ", end), second = line.find(" | ", first + 3);
    if (begin == std::string::npos || second == std::string::npos) continue;
    by_folder[line.substr(begin + 1, end - begin - 1)] = line.substr(first + 3, second - first - 3);
  }
  return by_folder;
}

bool has_a_row(const Component& component) {
  for (const std::string free : {"tests/", "validation/", "bench/"}) {
    if (component.folder.starts_with(free)) return false;
  }
  return true;
}

}  // namespace

std::string with_arrow_table(const std::string& document, std::span<const Component> components) {
  const auto begin = document.find(kBegin), end = document.find(kEnd);
  if (begin == std::string::npos || end == std::string::npos) return document;
  auto known = descriptions(document.substr(begin, end - begin));
  std::map<std::string, std::string> rows;
  for (const auto& component : components) {
    if (!has_a_row(component)) continue;
    const std::string& description = known[component.folder];
    rows[component.folder] = "| `" + component.folder + "` | " + (description.empty() ? "?" : description) + " | " +
                             may_use(components, component) + " |\n";
  }
  std::string table = "| folder | what it is | may use |\n|---|---|---|\n";
  for (const auto& [folder, row] : rows) table += row;
  return document.substr(0, begin) + kBegin + table + document.substr(end);
}

}  // namespace dpm
