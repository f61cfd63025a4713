// Which folder may include which: the arrows of docs/architecture.md, as a table, and a reader of include lines that
// checks them. The same for other people's libraries, which have one home each.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tests/support/source_tree.hpp"

namespace dpm {

// Files under `folder` may include headers under any of `may_use`, and those of their own folder. The rule with the
// longest matching folder counts. "*" stands for everything.
struct Arrow {
  std::string folder;
  std::vector<std::string> may_use;
};

// Headers whose path begins with `prefix` are included only under `homes`.
struct LibraryHome {
  std::string prefix;
  std::string library;
  std::vector<std::string> homes;
};

std::span<const Arrow> allowed_arrows();
std::span<const LibraryHome> library_homes();

// One sentence for each include that goes against the tables: "filter/rules.cpp:4: arrow filter -> analysis/history
// ("analysis/history/history.hpp"); filter may use model, trace". Empty when all is well.
std::vector<std::string> broken_arrows(std::span<const SourceFile> files);

}  // namespace dpm
