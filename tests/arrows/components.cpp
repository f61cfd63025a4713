#include "tests/arrows/components.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <regex>
#include <sstream>
#include <utility>

namespace dpm {
namespace {

std::string without_comments(const SourceFile& file) {
  std::string text;
  for (const auto& line : file.lines) text += line.substr(0, line.find('#')) + '\n';
  return text;
}

std::vector<std::string> own_libraries(const std::string& words) {
  std::vector<std::string> libraries;
  std::istringstream in(words);
  for (std::string word; in >> word;) {
    if (word.starts_with("dpm_")) libraries.push_back(word);
  }
  return libraries;
}

std::optional<Component> read_executable(const SourceFile& file, const std::string& text) {
  static const std::regex executable_line(R"(\badd_executable\(\s*(\w+))");
  std::smatch executable, links;
  if (!std::regex_search(text, executable, executable_line)) return std::nullopt;
  const std::regex links_line(
      fmt::format("\\btarget_link_libraries\\(\\s*{}\\s+PRIVATE\\s+([^)]*)\\)", executable[1].str()));
  std::vector<std::string> uses;
  if (std::regex_search(text, links, links_line)) uses = own_libraries(links[1]);
  return Component{file.folder(), executable[1], std::move(uses), file.path};
}

// The folders that a dpm_programs() in `folder` makes components of.
std::vector<std::string> program_folders(std::span<const SourceFile> files, const std::string& folder) {
  std::vector<std::string> folders;
  for (const auto& file : files) {
    if (file.name() == "program.cpp" && SourceFile{file.folder(), {}}.folder() == folder)
      folders.push_back(file.folder());
  }
  return folders;
}

std::string program_library(const std::string& folder) {
  std::string name = folder.substr(folder.rfind('/') + 1);
  std::replace(name.begin(), name.end(), '-', '_');
  return "dpm_scenario_" + name;
}

}  // namespace

bool is_under(std::string_view path, std::string_view folder) {
  return path == folder || (path.starts_with(folder) && path[folder.size()] == '/');
}

bool may_include_everything(std::string_view path) {
  return is_under(path, "tests") || is_under(path, "validation") || is_under(path, "bench") ||
         is_under(path, "examples");
}

std::vector<Component> read_components(std::span<const SourceFile> files) {
  static const std::regex component_line(R"(\bdpm_component\(\s*(\w+)(?:\s+USES\s+([^)]*))?\s*\))");
  static const std::regex programs_line(R"(\bdpm_programs\(\s*USES\s+([^)]*)\))");
  std::vector<Component> components;
  for (const auto& file : files) {
    if (file.name() != "CMakeLists.txt") continue;
    const std::string text = without_comments(file);
    std::smatch match;
    if (std::regex_search(text, match, component_line))
      components.push_back({file.folder(), "dpm_" + match[1].str(), own_libraries(match[2]), file.path});
    else if (auto executable = read_executable(file, text))
      components.push_back(std::move(*executable));
    if (!std::regex_search(text, match, programs_line)) continue;
    for (const auto& folder : program_folders(files, file.folder())) {
      const auto is_own = [&](const SourceFile& other) { return other.path == folder + "/CMakeLists.txt"; };
      if (std::none_of(files.begin(), files.end(), is_own))
        components.push_back({folder, program_library(folder), own_libraries(match[1]), file.path});
    }
  }
  return components;
}

const Component* component_of(std::span<const Component> components, const std::string& path) {
  const Component* nearest = nullptr;
  for (const auto& component : components) {
    if (!is_under(path, component.folder)) continue;
    if (nearest == nullptr || component.folder.size() > nearest->folder.size()) nearest = &component;
  }
  return nearest;
}

const Component* component_named(std::span<const Component> components, const std::string& library) {
  const auto found =
      std::find_if(components.begin(), components.end(), [&](const auto& each) { return each.library == library; });
  return found == components.end() ? nullptr : &*found;
}

}  // namespace dpm
