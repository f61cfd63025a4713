#include "tests/arrows/components.hpp"

#include <algorithm>
#include <regex>
#include <sstream>

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

bool is_under(const std::string& path, const std::string& folder) {
  return path.starts_with(folder) && path.size() > folder.size() && path[folder.size()] == '/';
}

}  // namespace

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
