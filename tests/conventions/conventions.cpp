#include "tests/conventions/conventions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string_view>
#include <utility>

namespace dpm {
namespace {

constexpr std::size_t kMaxLines = 600;
constexpr std::size_t kMostColumns = 120;  // .editorconfig
constexpr std::array<std::string_view, 5> kHeadings = {"What it is for", "What is in it", "What it may use",
                                                       "How to add one", "How to test it"};

std::string at(const SourceFile& file, std::size_t line) { return fmt::format("{}:{}: ", file.path, line + 1); }

bool is_one_of(const std::string& word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_code(const SourceFile& file) {
  return is_one_of(file.extension(), {".cpp", ".hpp", ".c", ".h", ".cmake", ".py", ".ts", ".js", ".css", ".html", ".sh",
                                      ".bash", ".awk"}) ||
         is_one_of(file.name(), {"CMakeLists.txt", "dev", "run"});
}

bool is_prose(const SourceFile& file) { return is_one_of(file.extension(), {".md", ".in"}); }

// Complains about every line of code and prose that `pattern` matches.
Complaints lines_matching(std::span<const SourceFile> files, const std::regex& pattern, const std::string& complaint) {
  Complaints complaints;
  for (const auto& file : files) {
    if (!is_code(file) && !is_prose(file)) continue;
    for (std::size_t line = 0; line < file.lines.size(); ++line) {
      std::smatch match;
      if (std::regex_search(file.lines[line], match, pattern)) {
        complaints.push_back(fmt::format("{}{} '{}'", at(file, line), complaint, match.str()));
      }
    }
  }
  return complaints;
}

// A folder of our own C++ that others build on: the top-level ones, and each child of the two collections.
std::string component_of(const SourceFile& file) {
  if (file.extension() != ".cpp" && file.extension() != ".hpp") return "";
  const std::string folder = file.folder();
  const std::string top = folder.substr(0, folder.find('/'));
  if (top != "analysis" && top != "backends") return top;
  const auto end = folder.find('/', top.size() + 1);
  return folder.substr(0, end);
}

std::set<std::string> component_folders(std::span<const SourceFile> files) {
  std::set<std::string> folders;
  for (const auto& file : files) {
    const std::string component = component_of(file);
    if (component.empty()) continue;
    folders.insert(component);
    folders.insert(component.substr(0, component.find('/')));  // the collection itself
  }
  return folders;
}

bool has_heading(const SourceFile& readme, std::string_view heading) {
  return std::any_of(readme.lines.begin(), readme.lines.end(), [&](const std::string& line) {
    return line.starts_with("#") && line.find(heading) != std::string::npos;
  });
}

// The anchor that GitHub and others make of a heading: "Why only these calls" becomes "why-only-these-calls".
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char letter : heading.substr(heading.find_first_not_of("# "))) {
    if (letter == ' ') {
      anchor += '-';
    } else if (std::isalnum(static_cast<unsigned char>(letter)) || letter == '-' || letter == '_') {
      anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
  }
  return anchor;
}

bool has_anchor(const SourceFile& page, const std::string& anchor) {
  return std::any_of(page.lines.begin(), page.lines.end(), [&](const std::string& line) {
    return line.starts_with("#") && line.find_first_not_of("# ") != std::string::npos && anchor_of(line) == anchor;
  });
}

struct CommentLine {
  std::size_t column = 0;  // of the slashes
  std::size_t indent = 0;  // between slashes and text
  std::string text;
};

std::optional<CommentLine> comment_in(const std::string& line) {
  static const std::regex pattern(R"(^(\s*)//( +)(\S.*)$)");
  std::smatch match;
  if (!std::regex_match(line, match, pattern)) return std::nullopt;
  return CommentLine{static_cast<std::size_t>(match.length(1)), static_cast<std::size_t>(match.length(2)), match[3]};
}

bool has_columns(const CommentLine& line) { return line.text.find("   ") != std::string::npos; }

const SourceFile* find_file(std::span<const SourceFile> files, const std::string& path) {
  const auto found = std::find_if(files.begin(), files.end(), [&](const auto& file) { return file.path == path; });
  return found == files.end() ? nullptr : &*found;
}

}  // namespace

Complaints promises_of_later_work(std::span<const SourceFile> files) {
  // Written in pieces, so that this file passes its own check.
  static const std::regex pattern(
      "\\b(TO"
      "DO|FIX"
      "ME|XX"
      "X|HA"
      "CK)\\b");
  return lines_matching(files, pattern, "a promise of later work:");
}

Complaints files_too_long(std::span<const SourceFile> files) {
  Complaints complaints;
  for (const auto& file : files) {
    const bool is_expected_output = file.path.find("/cases/") != std::string::npos;
    if ((is_code(file) || is_prose(file)) && !is_expected_output && file.lines.size() > kMaxLines) {
      complaints.push_back(fmt::format("{}: {} lines, more than {}: which second thing is in it?", file.path,
                                       file.lines.size(), kMaxLines));
    }
  }
  return complaints;
}

Complaints readmes_missing(std::span<const SourceFile> files) {
  Complaints complaints;
  for (const auto& folder : component_folders(files)) {
    const SourceFile* readme = find_file(files, folder + "/README.md");
    if (readme == nullptr) {
      complaints.push_back(folder + ": has no README.md");
      continue;
    }
    for (const auto heading : kHeadings) {
      if (!has_heading(*readme, heading))
        complaints.push_back(fmt::format("{}: no heading '{}'", readme->path, heading));
    }
  }
  for (const auto& file : files) {
    if (file.path.starts_with("scenarios/") && file.name() == "scenario.json" &&
        find_file(files, file.folder() + "/README.md") == nullptr) {
      complaints.push_back(file.folder() + ": has no README.md");
    }
  }
  return complaints;
}

Complaints classes_spread(std::span<const SourceFile> files) {
  // A definition begins at the left margin. "State" of "Replay::State" is another class than that of "Builder::State".
  static const std::regex pattern(R"(^(?:[A-Za-z][^=;{}()#]*?\b)?((?:[A-Z]\w*::)*[A-Z]\w*)::(?:~?\w+|operator\S+)\()");
  std::map<std::pair<std::string, std::string>, std::set<std::string>> files_of;  // by folder and name of a class
  for (const auto& file : files) {
    if (file.extension() != ".cpp") continue;
    for (const auto& line : file.lines) {
      std::smatch match;
      if (std::regex_search(line, match, pattern)) files_of[{file.folder(), match[1]}].insert(file.name());
    }
  }
  Complaints complaints;
  for (const auto& [name, names_of_files] : files_of) {
    const auto& [folder, class_name] = name;
    if (names_of_files.size() < 2) continue;
    std::string list;
    for (const auto& file : names_of_files) list += (list.empty() ? "" : ", ") + file;
    complaints.push_back(
        fmt::format("{}: methods of {} are in {}: which second noun is in it?", folder, class_name, list));
  }
  return complaints;
}

Complaints drawings_broken(std::span<const SourceFile> files) {
  static const std::regex one_word("[A-Za-z]+[.,;:]?");
  Complaints complaints;
  for (const auto& file : files) {
    if (file.extension() != ".cpp" && file.extension() != ".hpp") continue;
    for (std::size_t line = 1; line < file.lines.size(); ++line) {
      const auto above = comment_in(file.lines[line - 1]), here = comment_in(file.lines[line]);
      if (!above || !here || above->column != here->column) continue;
      if (!std::regex_match(here->text, one_word)) continue;
      const bool is_outdented = above->indent >= 3 && here->indent < above->indent;
      const bool is_full = file.lines[line - 1].size() + 1 + here->text.size() > kMostColumns;
      if (is_outdented || (has_columns(*above) && is_full))
        complaints.push_back(fmt::format("{}'{}' is left of a drawing that was wrapped", at(file, line), here->text));
    }
  }
  return complaints;
}

Complaints headers_malformed(std::span<const SourceFile> files) {
  Complaints complaints;
  for (const auto& file : files) {
    if (file.extension() != ".hpp") continue;
    if (file.lines.empty() || !file.lines.front().starts_with("// ")) {
      complaints.push_back(file.path + ":1: a header begins with a comment: what it is for and what it promises");
    }
    if (std::find(file.lines.begin(), file.lines.end(), "#pragma once") == file.lines.end()) {
      complaints.push_back(file.path + ": has no #pragma once");
    }
  }
  return complaints;
}

Complaints links_broken(std::span<const SourceFile> files) {
  static const std::regex pattern(R"(\]\(([^)#\s]*)(#([^)\s]+))?[^)]*\))");
  std::set<std::string> known;
  for (const auto& file : files) {
    for (std::filesystem::path path = file.path; !path.empty(); path = path.parent_path())
      known.insert(path.generic_string());
  }
  Complaints complaints;
  for (const auto& file : files) {
    if (file.extension() != ".md") continue;
    for (std::size_t line = 0; line < file.lines.size(); ++line) {
      const auto& text = file.lines[line];
      for (std::sregex_iterator link(text.begin(), text.end(), pattern), end; link != end; ++link) {
        const std::string target = (*link)[1];
        const std::string heading = (*link)[3];
        if (target.find("://") != std::string::npos || target.starts_with("mailto:")) continue;
        if (target.empty() && heading.empty()) continue;  // not a link: "[](int x)" in code
        std::string path = (std::filesystem::path(file.folder()) / target).lexically_normal().generic_string();
        if (target.empty()) path = file.path;
        if (path.ends_with("/")) path.pop_back();
        if (path != "." && !known.contains(path)) {
          complaints.push_back(fmt::format("{}link to '{}', which does not exist", at(file, line), target));
        } else if (!heading.empty() && path.ends_with(".md") && !has_anchor(*find_file(files, path), heading)) {
          complaints.push_back(
              fmt::format("{}link to '#{}' of {}, which has no such heading", at(file, line), heading, path));
        }
      }
    }
  }
  return complaints;
}

Complaints python_unnamed(std::span<const SourceFile> files) {
  static const std::regex pattern("^#!.*\\bpython");
  Complaints complaints;
  for (const auto& file : files) {
    if (file.extension() == ".py" || file.lines.empty() || !std::regex_search(file.lines.front(), pattern)) continue;
    complaints.push_back(fmt::format("{}: a Python program whose name does not end in .py", file.path));
  }
  return complaints;
}

Complaints machine_paths(std::span<const SourceFile> files) {
  static const std::regex pattern(
      "(^|[^A-Za-z0-9_.}])/(wo"
      "rk|ro"
      "ot|ho"
      "me/[a-z]+|tmp/pro"
      "to)\\b");
  return lines_matching(files, pattern, "a path of one machine:");
}

}  // namespace dpm
