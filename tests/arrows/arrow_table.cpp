#include "tests/arrows/arrow_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "tests/arrows/arrow_rules.hpp"

namespace dpm {
namespace {

const std::string kBegin = "<!-- arrows -->\n";
const std::string kEnd = "<!-- /arrows -->\n";

std::string readme_of(std::span<const SourceFile> files, const std::string& folder) {
  const auto readme =
      std::find_if(files.begin(), files.end(), [&](const auto& file) { return file.path == folder + "/README.md"; });
  std::string text;
  if (readme == files.end()) return text;
  for (const auto& line : readme->lines) text += line + '\n';
  return text;
}

// From after `mark` to the end of the sentence, on one line; empty if `text` has no such mark.
std::string sentence_behind(const std::string& text, const std::string& mark) {
  const auto found = text.find(mark);
  if (found == std::string::npos) return "";
  std::string sentence = text.substr(found + mark.size());
  for (const std::string end : {".\n", ". ", "\n\n", "\n- ", "\n#"}) sentence = sentence.substr(0, sentence.find(end));
  std::istringstream words(sentence);
  std::string line;
  for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
  return line;
}

bool is_answer(const std::string& folder) {
  return is_under(folder, "answers/scenario") && folder != "answers/scenario";
}

bool is_command(const std::string& folder) { return is_under(folder, "cli/commands") && folder != "cli/commands"; }

bool has_a_row(const Component& component) {
  return !may_include_everything(component.folder) && !is_command(component.folder) && !is_answer(component.folder);
}

}  // namespace

std::string what_it_is(std::span<const SourceFile> files, const std::string& folder) {
  const std::string own = sentence_behind(readme_of(files, folder), fmt::format("# {}: ", folder));
  const auto slash = folder.rfind('/');
  if (!own.empty() || slash == std::string::npos) return own;
  return sentence_behind(readme_of(files, folder.substr(0, slash)), fmt::format("`{}/`: ", folder.substr(slash + 1)));
}

std::string with_arrow_table(const std::string& document, std::span<const SourceFile> files) {
  const auto begin = document.find(kBegin), end = document.find(kEnd);
  if (begin == std::string::npos || end == std::string::npos) return document;
  const auto components = read_components(files);
  std::map<std::string, std::string> rows;
  for (const auto& component : components) {
    if (!has_a_row(component)) continue;
    const std::string description = what_it_is(files, component.folder);
    rows[component.folder] = fmt::format("| `{}` | {} | {} |\n", component.folder,
                                         description.empty() ? "?" : description, may_use(components, component));
  }
  std::string table = "| folder | what it is | may use |\n|---|---|---|\n";
  for (const auto& [folder, row] : rows) table += row;
  return document.substr(0, begin) + kBegin + table + document.substr(end);
}

}  // namespace dpm
