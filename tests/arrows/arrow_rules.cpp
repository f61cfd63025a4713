#include "tests/arrows/arrow_rules.hpp"

#include <algorithm>
#include <optional>
#include <regex>
#include <string_view>

namespace dpm {
namespace {

const std::vector<Arrow> kArrows = {
    {"model", {}},
    {"os", {"model"}},
    {"trace", {"model"}},
    {"merge", {"model"}},
    {"symbols", {"model"}},
    {"filter", {"model", "trace"}},
    {"analysis", {"model", "analysis/history"}},
    {"analysis/history", {"model"}},
    {"analysis/messages", {"model"}},
    {"analysis/prediction", {"model", "analysis/history", "analysis/parallelism"}},
    {"backends", {"model", "os"}},
    {"backends/linux", {"model", "os", "symbols"}},
    {"backends/linux/transport", {"model", "os", "trace", "merge"}},
    {"backends/replay", {"model", "trace"}},
    {"live", {"model", "os"}},
    {"scenarios", {"model", "scenarios"}},
    {"view", {"model", "analysis"}},
    {"cluster", {}},
    {"cli", {"*"}},
    {"tests", {"*"}},
    {"validation", {"*"}},
    {"bench", {"*"}},
};

const std::vector<LibraryHome> kLibraryHomes = {
    {"simgrid/", "SimGrid", {"backends/sim"}},
    {"xbt", "SimGrid", {"backends/sim"}},
    {"nlohmann/",
     "nlohmann_json",
     {"trace", "scenarios", "backends/linux/transport/frames", "backends/linux/remote/protocol", "cli", "tests", "validation"}},
    {"elfutils/", "libdw", {"symbols"}},
    {"dwarf.h", "libdw", {"symbols"}},
    {"openssl/", "OpenSSL", {"backends/linux/remote/protocol", "backends/linux/transport/tls"}},
    {"CLI/", "CLI11", {"cli"}},
    {"histedit.h", "libedit", {"cli/control"}},
    {"catch2/", "Catch2", {"tests"}},
    {"valijson/", "valijson", {"tests"}},
    {"linux/", "Linux's own headers", {"backends/linux/capture/kernel", "tests/linux"}},
};

struct Include {
  std::string path;
  bool quoted = false;
};

std::optional<Include> parse_include(const std::string& line) {
  static const std::regex pattern(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
  std::smatch match;
  if (!std::regex_search(line, match, pattern)) return std::nullopt;
  return Include{match[2], match[1] == "\""};
}

bool is_under(std::string_view path, std::string_view folder) {
  return path == folder || (path.starts_with(folder) && path[folder.size()] == '/');
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text.empty() ? "nothing" : text;
}

// The folder an arrow begins or ends at: two levels below the collections, one elsewhere.
std::string component_of(const std::string& path) {
  const auto first = path.find('/');
  if (first == std::string::npos) return "";
  const std::string top = path.substr(0, first);
  if (top != "analysis" && top != "backends") return top;
  const auto second = path.find('/', first + 1);
  return second == std::string::npos ? top : path.substr(0, second);
}

const Arrow* rule_for(const std::string& component) {
  const Arrow* best = nullptr;
  for (const auto& arrow : kArrows) {
    if (is_under(component, arrow.folder) && (best == nullptr || arrow.folder.size() > best->folder.size()))
      best = &arrow;
  }
  return best;
}

// `from` is the component; one of its folders may have a rule of its own.
std::string check_own(const std::string& from, const std::string& folder, const Include& include) {
  const std::string to = component_of(include.path);
  if (to.empty()) return "include \"" + include.path + "\" names no folder; write its path from the project's root";
  const Arrow* rule = rule_for(folder);
  if (rule == nullptr) return "folder '" + from + "' has no row in the table of arrows (tests/arrows/arrow_rules.cpp)";
  if (rule_for(to) == nullptr) return "include \"" + include.path + "\" lies in no folder of the project";
  const bool allowed = to == from || std::any_of(rule->may_use.begin(), rule->may_use.end(), [&](const auto& target) {
                         return target == "*" || is_under(to, target);
                       });
  if (allowed) return "";
  return "arrow " + from + " -> " + to + " (\"" + include.path + "\"); " + from + " may use " + joined(rule->may_use);
}

// <vector>, <unistd.h>, <sys/stat.h>: the standard library and POSIX are at home everywhere.
bool is_system_header(const std::string& path) {
  if (path.starts_with("sys/") || path.starts_with("arpa/") || path.starts_with("net/") || path.starts_with("netinet/"))
    return true;
  return path.find('/') == std::string::npos && (path.find('.') == std::string::npos || path.ends_with(".h"));
}

// `from` is the folder itself: a home may be one part of a component.
std::string check_library(const std::string& from, const Include& include) {
  for (const auto& home : kLibraryHomes) {
    if (!include.path.starts_with(home.prefix)) continue;
    const bool at_home =
        std::any_of(home.homes.begin(), home.homes.end(), [&](const auto& folder) { return is_under(from, folder); });
    if (at_home) return "";
    return home.library + " (<" + include.path + ">) is not at home in " + from + "; its home is " + joined(home.homes);
  }
  if (is_system_header(include.path)) return "";
  return "<" + include.path + "> has no home; give it one in docs/architecture.md and tests/arrows/arrow_rules.cpp";
}

}  // namespace

std::span<const Arrow> allowed_arrows() { return kArrows; }
std::span<const LibraryHome> library_homes() { return kLibraryHomes; }

std::vector<std::string> broken_arrows(std::span<const SourceFile> files) {
  std::vector<std::string> broken;
  for (const auto& file : files) {
    if (file.extension() != ".cpp" && file.extension() != ".hpp") continue;
    const std::string from = component_of(file.path);
    for (std::size_t line = 0; line < file.lines.size(); ++line) {
      const auto include = parse_include(file.lines[line]);
      if (!include) continue;
      const std::string complaint =
          include->quoted ? check_own(from, file.folder(), *include) : check_library(file.folder(), *include);
      if (!complaint.empty()) broken.push_back(file.path + ":" + std::to_string(line + 1) + ": " + complaint);
    }
  }
  return broken;
}

}  // namespace dpm
