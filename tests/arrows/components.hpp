// The components of the project and what each may use, as CMake builds them: the lines dpm_component(NAME USES ...) of
// the CMakeLists.txt files. They are the only list of allowed arrows between folders.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/source_tree.hpp"

namespace dpm {

// A folder whose sources are built as one library. Folders below it without a component of their own belong to it.
struct Component {
  std::string folder;             // "backends/linux/calls"
  std::string library;            // "dpm_linux_calls"
  std::vector<std::string> uses;  // libraries of the project, as written
  std::string declared_in;        // the CMakeLists.txt
};

// Reads dpm_component(NAME [USES library...]); add_executable(NAME ...) with its target_link_libraries(NAME PRIVATE
// library...) in a folder without a component; and dpm_programs(USES library...), which makes a component scenario_X of
// every folder X beside it that has a program.cpp and no CMakeLists.txt. Libraries of other projects and lists in CMake
// variables (generated registries) are not arrows between folders and are left out.
std::vector<Component> read_components(std::span<const SourceFile> files);

// Whether `path` is the folder or is in it.
bool is_under(std::string_view path, std::string_view folder);

// tests/, validation/, bench/ and examples/ may include everything, and need no row in a table of arrows.
bool may_include_everything(std::string_view path);

// The component a file belongs to: that of the nearest folder above it. nullptr if there is none.
const Component* component_of(std::span<const Component> components, const std::string& path);
const Component* component_named(std::span<const Component> components, const std::string& library);

}  // namespace dpm
