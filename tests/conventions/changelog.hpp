// The changelog: a page that users read (docs/contributing.md), and the version that it shares with CMakeLists.txt.
#pragma once

#include <span>
#include <string>

#include "tests/conventions/conventions.hpp"
#include "tests/support/source_tree.hpp"

namespace dpm {

// What CMakeLists.txt at the root says: "1.2.3" of "project(dpm VERSION 1.2.3 ...". Empty if it says none.
std::string project_version(std::span<const SourceFile> files);

// The first version of CHANGELOG.md is that of CMakeLists.txt. Each entry has whole sentences of at most 30 words together,
// and no two begin with the same sentence.
Complaints changelog_mistakes(std::span<const SourceFile> files);

// The version is written in CMakeLists.txt and CHANGELOG.md alone: what else shows it takes it from there.
Complaints versions_repeated(std::span<const SourceFile> files);

}  // namespace dpm
