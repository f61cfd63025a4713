#include "tests/conventions/unused_functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <unordered_map>

#include "tests/conventions/cpp_tokens.hpp"

namespace dpm {
namespace {

using Tokens = std::vector<CppToken>;

struct Function {
  const SourceFile* file = nullptr;  // where it was seen first
  std::size_t line = 0;
  std::size_t uses = 0;
  bool is_declared = false, is_virtual = false, is_override = false;
};

using Functions = std::unordered_map<std::string, Function>;

bool is_cpp(const SourceFile& file) {
  static const std::set<std::string> kEnds = {".cpp", ".hpp", ".c", ".h"};
  // "commands.cpp.in" is code that CMake completes.
  const std::string name = file.name().ends_with(".in") ? file.name().substr(0, file.name().size() - 3) : file.name();
  return kEnds.contains(SourceFile{name, {}}.extension());
}

bool is_header(const SourceFile& file) { return file.extension() == ".hpp" || file.extension() == ".h"; }

// Of "dpm::Reader<Event>::next" the place of "dpm".
std::size_t begin_of_name(const Tokens& tokens, std::size_t at) {
  while (at >= 2 && tokens[at - 1].text == "::") {
    std::size_t before = at - 2;
    if (tokens[before].text == ">")
      while (before > 0 && tokens[before].text != "<") --before;
    if (tokens[before].text == "<" && before > 0) --before;
    if (!tokens[before].is_name) return at - 1;
    at = before;
  }
  return at;
}

// What stands before a call, and could be taken for a type.
bool is_keyword(const std::string& word) {
  static const std::set<std::string> kWords = {"return", "else",     "throw", "co_return", "co_await", "co_yield",
                                               "case",   "not",      "and",   "or",        "new",      "delete",
                                               "do",     "goto",     "if",    "while",     "for",      "switch",
                                               "sizeof", "operator", "using", "typename",  "noexcept"};
  return kWords.contains(word);
}

// A type stands before the name: "int f(", "Result<void> f(", "const Event& f(". By clang-format, what follows a type is a
// space, and operators have spaces on both sides.
bool follows_type(const Tokens& tokens, std::size_t name) {
  if (name == 0 || !tokens[name].after_space) return false;
  const CppToken& before = tokens[name - 1];
  if (before.is_name) return !is_keyword(before.text);
  if (before.text == ">") return !before.after_space;
  if (before.text != "*" && before.text != "&") return false;
  std::size_t first = name - 1;
  while (first > 0 && !tokens[first].after_space && (tokens[first].text == "*" || tokens[first].text == "&")) --first;
  return !tokens[first + 1].after_space && (tokens[first].is_name || tokens[first].text == ">");
}

std::size_t end_of_parameters(const Tokens& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < tokens.size(); ++at) {
    if (tokens[at].text == "(") ++depth;
    if (tokens[at].text == ")" && --depth == 0) return at;
  }
  return tokens.size();
}

bool has_before_body(const Tokens& tokens, std::size_t at, const char* word) {
  for (; at < tokens.size() && tokens[at].text != ";" && tokens[at].text != "{"; ++at)
    if (tokens[at].text == word) return true;
  return false;
}

bool is_declared_virtual(const Tokens& tokens, std::size_t at) {
  for (; at > 0 && tokens[at].line + 1 >= tokens[at - 1].line; --at) {
    const std::string& text = tokens[at - 1].text;
    if (text == "virtual") return true;
    if (text == ";" || text == "}" || text == "{" || text == ":") return false;
  }
  return false;
}

// Notes what the name at this place is: a declaration, a use, or a variable ("std::lock_guard lock(mutex);").
void note(const SourceFile& file, const Tokens& tokens, std::size_t at, Functions& functions) {
  const CppToken& token = tokens[at];
  Function& function = functions[token.text];
  const std::size_t begin = begin_of_name(tokens, at);
  const bool has_parameters = at + 1 < tokens.size() && tokens[at + 1].text == "(";
  if (token.in_directive || !has_parameters || !follows_type(tokens, begin)) {
    ++function.uses;
    return;
  }
  const std::size_t end = end_of_parameters(tokens, at + 1);
  const bool is_statement = end + 1 < tokens.size() && tokens[end + 1].text == ";";
  if (!is_header(file) && begin == at && is_statement && file.lines[token.line].starts_with(" ")) return;
  function.is_override = function.is_override || has_before_body(tokens, end, "override");
  function.is_virtual = function.is_virtual || is_declared_virtual(tokens, begin);
  if (function.is_declared) return;
  function.is_declared = true;
  function.file = &file;
  function.line = token.line;
}

bool is_of(const SourceFile& file, const std::string& path) {
  return file.path == path || (path.ends_with("/") && file.path.starts_with(path));
}

bool excuses(const CalledElsewhere& row, const std::string& name, const Function& function) {
  if (row.what.ends_with("*")) return name.starts_with(row.what.substr(0, row.what.size() - 1));
  return row.what == name || is_of(*function.file, row.what);
}

bool is_unused(const std::string& name, const Function& function) {
  const bool is_type = std::isupper(static_cast<unsigned char>(name.front())) != 0;  // a constructor
  const bool is_of_library = function.is_override && !function.is_virtual;
  return function.is_declared && function.uses == 0 && !is_type && !is_of_library && name != "main";
}

std::string cell_of(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t") - begin + 1));
}

}  // namespace

std::vector<CalledElsewhere> read_called_elsewhere(std::string_view text) {
  std::vector<CalledElsewhere> rows;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const auto bar = line.find('|');
    if (!line.starts_with("#") && bar != std::string_view::npos)
      rows.push_back({cell_of(line.substr(0, bar)), cell_of(line.substr(bar + 1))});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return rows;
}

Complaints unused_functions(std::span<const SourceFile> files, std::span<const CalledElsewhere> rows) {
  Functions functions;
  std::set<std::string> in_tests;
  for (const auto& file : files) {
    if (!is_cpp(file)) continue;
    const bool is_test = file.path.starts_with("tests/");
    const Tokens tokens = cpp_tokens(file);
    for (std::size_t at = 0; at < tokens.size(); ++at) {
      if (!tokens[at].is_name) continue;
      if (is_test) {
        in_tests.insert(tokens[at].text);
      } else {
        note(file, tokens, at, functions);
      }
    }
  }
  Complaints complaints;
  std::vector<bool> has_excused(rows.size());
  for (const auto& [name, function] : functions) {
    if (!is_unused(name, function)) continue;
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return excuses(r, name, function); });
    if (row != rows.end()) {
      has_excused[static_cast<std::size_t>(row - rows.begin())] = true;
      continue;
    }
    complaints.push_back(fmt::format("{}:{}: nothing{} uses '{}'", function.file->path, function.line + 1,
                                     in_tests.contains(name) ? " but tests" : "", name));
  }
  for (std::size_t row = 0; row < rows.size(); ++row)
    if (!has_excused[row]) complaints.push_back(fmt::format("'{}' excuses no function", rows[row].what));
  std::sort(complaints.begin(), complaints.end());
  return complaints;
}

}  // namespace dpm
