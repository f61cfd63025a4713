#include "tests/conventions/changelog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>
#include <vector>

namespace dpm {
namespace {

constexpr std::size_t kMostWords = 30;  // of an entry: a reader looks for one command, and reads on if it is there

struct Entry {
  std::size_t line = 0;  // where it begins, from 0
  std::vector<std::string> words;
};

// An entry begins with "- "; its further lines begin with a space.
std::vector<Entry> entries_of(const SourceFile& changelog) {
  std::vector<Entry> entries;
  bool is_open = false;
  for (std::size_t line = 0; line < changelog.lines.size(); ++line) {
    const std::string& text = changelog.lines[line];
    const bool is_new = text.starts_with("- ");
    is_open = is_new || (is_open && text.starts_with(" "));
    if (!is_open) continue;
    if (is_new) entries.push_back({line, {}});
    std::istringstream words(is_new ? text.substr(2) : text);
    std::copy(std::istream_iterator<std::string>(words), {}, std::back_inserter(entries.back().words));
  }
  return entries;
}

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

std::string first_sentence(const std::string& text) {
  const auto end = text.find(". ");
  return end == std::string::npos ? text : text.substr(0, end + 1);
}

const SourceFile* named_file(std::span<const SourceFile> files, const std::string& path) {
  const auto found = std::find_if(files.begin(), files.end(), [&](const auto& file) { return file.path == path; });
  return found == files.end() ? nullptr : &*found;
}

std::string first_version_of(const SourceFile& changelog) {
  const auto heading = std::find_if(changelog.lines.begin(), changelog.lines.end(),
                                    [](const auto& line) { return line.starts_with("## "); });
  return heading == changelog.lines.end() ? "" : heading->substr(3);
}

// The version as it stands between other text, but not as a part of an address such as 10.1.2.3.
std::regex written_version(const std::string& version) {
  const std::string dots = std::regex_replace(version, std::regex("\\."), "\\.");
  return std::regex("(^|[^0-9.])" + dots + "([^0-9.]|\\.?$|\\.[^0-9])");
}

}  // namespace

std::string project_version(std::span<const SourceFile> files) {
  static const std::regex pattern(R"(^project\(dpm VERSION (\d+\.\d+\.\d+) )");
  const SourceFile* file = named_file(files, "CMakeLists.txt");
  if (file == nullptr) return "";
  for (const auto& line : file->lines) {
    std::smatch match;
    if (std::regex_search(line, match, pattern)) return match[1];
  }
  return "";
}

Complaints changelog_mistakes(std::span<const SourceFile> files) {
  const SourceFile* changelog = named_file(files, "CHANGELOG.md");
  if (changelog == nullptr) return {"CHANGELOG.md: is missing"};
  Complaints complaints;
  const std::string version = project_version(files), first = first_version_of(*changelog);
  if (version != first)
    complaints.push_back(fmt::format("CHANGELOG.md: begins with '{}', and CMakeLists.txt has '{}'", first, version));
  std::map<std::string, std::size_t> line_of;
  for (const auto& entry : entries_of(*changelog)) {
    const std::string text = joined(entry.words), at = fmt::format("CHANGELOG.md:{}: ", entry.line + 1);
    if (entry.words.size() > kMostWords)
      complaints.push_back(fmt::format("{}{} words, more than {}", at, entry.words.size(), kMostWords));
    if (!text.ends_with(".")) complaints.push_back(at + "an entry ends with a full stop");
    const auto [same, is_new] = line_of.try_emplace(first_sentence(text), entry.line + 1);
    if (!is_new) complaints.push_back(fmt::format("{}begins with the sentence of line {}", at, same->second));
  }
  return complaints;
}

Complaints versions_repeated(std::span<const SourceFile> files) {
  const std::string version = project_version(files);
  if (version.empty()) return {"CMakeLists.txt: states no version"};
  const std::regex pattern = written_version(version);
  Complaints complaints;
  for (const auto& file : files) {
    if (file.path == "CMakeLists.txt" || file.path == "CHANGELOG.md") continue;
    for (std::size_t line = 0; line < file.lines.size(); ++line) {
      if (std::regex_search(file.lines[line], pattern))
        complaints.push_back(fmt::format("{}:{}: repeats the version {}", file.path, line + 1, version));
    }
  }
  return complaints;
}

}  // namespace dpm
