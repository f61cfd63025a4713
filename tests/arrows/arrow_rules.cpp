#include "tests/arrows/arrow_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <regex>
#include <set>
#include <string_view>

namespace dpm {
namespace {

const std::vector<LibraryHome> kLibraryHomes = {
    {"simgrid/", "SimGrid", {"backends/sim"}},
    {"xbt", "SimGrid", {"backends/sim"}},
    {"nlohmann/",
     "nlohmann_json",
     {"text", "trace", "scenarios", "control/transport/frames", "control/protocol", "answers", "twin", "view", "cli",
      "tests", "validation"}},
    {"mpi.h", "MPI", {"answers/parallel/mpi", "tests/formats/import/mpi"}},
    {"elfutils/", "libdw", {"trace/symbols"}},
    {"dwarf.h", "libdw", {"trace/symbols"}},
    {"boost/asio/", "Boost.Asio", {"os/net", "control/transport/tls"}},
    {"boost/beast/", "Boost.Beast", {"view/server"}},
    {"openssl/", "OpenSSL", {"control/protocol", "control/transport/frames", "control/transport/tls", "view/server"}},
    {"CLI/", "CLI11", {"cli/command_line.cpp"}},
    {"bpf/", "libbpf", {"backends/linux/bpf", "backends/linux/audit", "backends/linux/probes", "sampling/iterator"}},
    {"histedit.h", "libedit", {"cli/control"}},
    {"curses.h", "ncurses", {"view/terminal"}},
    {"sqlite3.h", "SQLite", {"formats/export"}},
    {"simdjson.h", "simdjson", {"formats"}},
    {"zstd.h", "zstd", {"trace", "formats/import"}},
    {"zlib.h", "zlib", {"formats/import"}},
    {"lzma.h", "liblzma", {"formats/import"}},
    {"otf2/", "OTF2", {"formats/export", "formats/otf2", "tests/formats/import/mpi"}},
    {"catch2/", "Catch2", {"tests"}},
    {"valijson/", "valijson", {"tests"}},
    {"fmt/", "{fmt}", {"*"}},
    {"linux/", "Linux's own headers", {"os/kernel", "backends/linux/audit", "tests"}},
};

struct Include {
  std::string path;
  bool quoted = false;
};

constexpr std::string_view kInstalledPrefix = "dpm/monitor/";

std::optional<Include> parse_include(const std::string& line) {
  static const std::regex pattern(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
  std::smatch match;
  if (!std::regex_search(line, match, pattern)) return std::nullopt;
  // The library for other programs is included here as it is there, by the place where it is installed.
  const std::string path = match[2];
  if (path.starts_with(kInstalledPrefix)) return Include{"libdpm/" + path.substr(kInstalledPrefix.size()), true};
  return Include{path, match[1] == "\""};
}

bool is_source(const SourceFile& file) { return file.extension() == ".cpp" || file.extension() == ".hpp"; }

bool is_at_home(const std::string& path, const std::string& home) {
  if (home == "*") return true;
  const auto star = home.find('*');
  if (star == std::string::npos) return is_under(path, home);
  if (!path.starts_with(home.substr(0, star))) return false;
  const auto end = path.find('/', star);
  return end != std::string::npos && is_under(path.substr(end), home.substr(star + 1));
}

// A home that is one file lies in the folder of this file.
std::string folder_of(const std::string& home) {
  return home.ends_with(".cpp") ? home.substr(0, home.rfind('/')) : home;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text.empty() ? "nothing" : text;
}

std::vector<std::string> folders_used(std::span<const Component> components, const Component& component) {
  std::vector<std::string> folders;
  for (const auto& library : component.uses) {
    if (const Component* used = component_named(components, library)) folders.push_back(used->folder);
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

bool uses(const Component& from, const Component& to) {
  return std::find(from.uses.begin(), from.uses.end(), to.library) != from.uses.end();
}

std::string check_own(std::span<const Component> components, const SourceFile& file, const Include& include) {
  if (include.path.find('/') == std::string::npos)
    return fmt::format("include \"{}\" names no folder; write its path from the project's root", include.path);
  if (may_include_everything(file.path)) return "";
  const Component* from = component_of(components, file.path);
  if (from == nullptr)
    return fmt::format("folder '{}' belongs to no component; write dpm_component(NAME USES ...) in its CMakeLists.txt",
                       file.folder());
  const Component* to = component_of(components, include.path);
  if (to == nullptr) return fmt::format("include \"{}\" lies in no component of the project", include.path);
  if (to == from || uses(*from, *to)) return "";
  return fmt::format("arrow {} -> {} (\"{}\"); {} may use {} ({})", from->folder, to->folder, include.path,
                     from->folder, joined(folders_used(components, *from)), from->declared_in);
}

// <vector>, <unistd.h>, <sys/stat.h>: every folder may include the standard library and POSIX.
bool is_system_header(const std::string& path) {
  if (path.starts_with("sys/") || path.starts_with("arpa/") || path.starts_with("net/") || path.starts_with("netinet/"))
    return true;
  return path.find('/') == std::string::npos && (path.find('.') == std::string::npos || path.ends_with(".h"));
}

std::string check_library(const SourceFile& file, const Include& include) {
  for (const auto& home : kLibraryHomes) {
    if (!include.path.starts_with(home.prefix)) continue;
    const bool at_home = std::any_of(home.homes.begin(), home.homes.end(),
                                     [&](const auto& each) { return is_at_home(file.path, each); });
    if (at_home) return "";
    return fmt::format("{} (<{}>) is not at home in {}; its home is {}", home.library, include.path, file.folder(),
                       joined(home.homes));
  }
  if (is_system_header(include.path)) return "";
  return fmt::format("<{}> has no home; give it one in docs/architecture.md and tests/arrows/arrow_rules.cpp",
                     include.path);
}

}  // namespace

std::span<const LibraryHome> library_homes() { return kLibraryHomes; }

std::vector<std::string> broken_arrows(std::span<const SourceFile> files) {
  const auto components = read_components(files);
  std::vector<std::string> broken;
  for (const auto& file : files) {
    if (!is_source(file)) continue;
    for (std::size_t line = 0; line < file.lines.size(); ++line) {
      const auto include = parse_include(file.lines[line]);
      if (!include) continue;
      const std::string complaint =
          include->quoted ? check_own(components, file, *include) : check_library(file, *include);
      if (!complaint.empty()) broken.push_back(fmt::format("{}:{}: {}", file.path, line + 1, complaint));
    }
  }
  return broken;
}

std::vector<std::string> top_folders(std::span<const SourceFile> files) {
  static const std::regex line_of_folder(R"(^add_subdirectory\((\w+)\)$)");
  std::vector<std::string> folders;
  for (const auto& file : files) {
    if (file.path != "CMakeLists.txt") continue;
    std::smatch match;
    for (const auto& line : file.lines) {
      if (std::regex_match(line, match, line_of_folder)) folders.push_back(match[1]);
    }
  }
  return folders;
}

std::vector<std::string> broken_order(std::span<const SourceFile> files) {
  const auto order = top_folders(files);
  const auto place_of = [&](const std::string& path) {
    return std::find(order.begin(), order.end(), path.substr(0, path.find('/')));
  };
  std::vector<std::string> broken;
  for (const auto& file : files) {
    const auto from = place_of(file.path);
    if (!is_source(file) || from == order.end()) continue;
    for (std::size_t line = 0; line < file.lines.size(); ++line) {
      const auto include = parse_include(file.lines[line]);
      const auto to = include && include->quoted ? place_of(include->path) : order.end();
      if (to == order.end() || to <= from) continue;
      broken.push_back(fmt::format("{}:{}: {} stands below {} (\"{}\"); the order is {} (CMakeLists.txt)", file.path,
                                   line + 1, *from, *to, include->path, joined(order)));
    }
  }
  return broken;
}

std::vector<std::string> unused_arrows(std::span<const SourceFile> files) {
  const auto components = read_components(files);
  std::set<std::pair<const Component*, const Component*>> included;
  for (const auto& file : files) {
    const Component* from = is_source(file) ? component_of(components, file.path) : nullptr;
    if (from == nullptr) continue;
    for (const auto& line : file.lines) {
      if (const auto include = parse_include(line)) included.insert({from, component_of(components, include->path)});
    }
  }
  std::vector<std::string> unused;
  for (const auto& component : components) {
    for (const auto& library : component.uses) {
      const Component* used = component_named(components, library);
      // A generated registry is not in any folder.
      if (used == nullptr || may_include_everything(component.folder) || included.contains({&component, used}))
        continue;
      unused.push_back(fmt::format("{}: {} includes nothing of {}", component.declared_in, component.folder, library));
    }
  }
  return unused;
}

std::string may_use(std::span<const Component> components, const Component& component) {
  std::string text;
  for (const auto& folder : folders_used(components, component))
    text += fmt::format("{}{}`", text.empty() ? "`" : ", `", folder);
  if (text.empty()) text = "nothing";
  for (const auto& home : kLibraryHomes) {
    const bool is_home = std::any_of(home.homes.begin(), home.homes.end(),
                                     [&](const auto& each) { return folder_of(each) == component.folder; });
    const std::string mark = "home of " + home.library;
    if (is_home && text.find(mark) == std::string::npos) text += "; " + mark;
  }
  return text;
}

}  // namespace dpm
