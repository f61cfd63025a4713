// The table of tests/arrows/arrows.md: one row for each component. What it may use follows from the
// USES lines, its description from the READMEs.
#pragma once

#include <span>
#include <string>

#include "tests/arrows/components.hpp"
#include "tests/support/source_tree.hpp"

namespace dpm {

// A folder's description: the first line of its README after "# folder: ", or in the README of the folder above it what
// follows "`name/`: ", up to the end of the sentence. Empty if neither has one.
std::string what_it_is(std::span<const SourceFile> files, const std::string& folder);

// `document` with the table between the lines "<!-- arrows -->" and "<!-- /arrows -->" as it should be, by increasing folder.
// tests/, validation/ and bench/ may use everything, each folder in cli/commands/ is a command, and each folder in answers/scenario/
// is like the others; they have no rows.
std::string with_arrow_table(const std::string& document, std::span<const SourceFile> files);

}  // namespace dpm
