// Which folder may include which, checked against every include line. The allowed arrows are the USES of the components
// (components.hpp); each library of others has its own homes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tests/arrows/components.hpp"
#include "tests/support/source_tree.hpp"

namespace dpm {

// Headers whose path begins with `prefix` are included only in `homes`, which are folders or single files; in a folder, * stands
// for one folder.
struct LibraryHome {
  std::string prefix;
  std::string library;
  std::vector<std::string> homes;
};

std::span<const LibraryHome> library_homes();

// One sentence for each include that contradicts a USES line or a library's home: "filter/rules.cpp:4: arrow filter ->
// analysis/history ("analysis/history/history.hpp"); filter may use model, trace (filter/CMakeLists.txt)". Empty when
// all is well. Tests, claims and benchmarks may include everything.
std::vector<std::string> broken_arrows(std::span<const SourceFile> files);

// The folders at the top, from bottom to top, as the root CMakeLists.txt adds them.
std::vector<std::string> top_folders(std::span<const SourceFile> files);

// One sentence for each include of a folder at the top that stands above the includer's: "model/event.cpp:1: model stands below trace
// ("trace/writer.hpp"); the order is model, trace (CMakeLists.txt)". The tests, which may include everything, stand last.
std::vector<std::string> broken_order(std::span<const SourceFile> files);

// One sentence for each library in a USES line that no include of the component needs.
std::vector<std::string> unused_arrows(std::span<const SourceFile> files);

// The third column of the table in tests/arrows/arrows.md for a component: "`model`, `os`; home of SimGrid".
std::string may_use(std::span<const Component> components, const Component& component);

}  // namespace dpm
