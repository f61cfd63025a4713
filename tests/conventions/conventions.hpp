// The habits of this project that a machine can check (docs/contributing.md gives the reasons). Each function takes the
// files of a tree and returns one sentence for each place that breaks the habit: "view/page.cpp:12: ...".
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tests/support/source_tree.hpp"

namespace dpm {

using Complaints = std::vector<std::string>;

// Nothing in the tree promises later work: we finish a thing or leave it out.
Complaints promises_of_later_work(std::span<const SourceFile> files);

// A file of more than 600 lines has a second noun in it. Data (JSON, recorded expectations, licences) may be longer.
Complaints files_too_long(std::span<const SourceFile> files);

// Every component folder has a README.md with the five headings; every scenario folder has a README.md.
Complaints readmes_missing(std::span<const SourceFile> files);

// The methods of a class are defined in one .cpp file: what fills a second file is a second noun. Classes of one name
// in different folders are different classes.
Complaints classes_spread(std::span<const SourceFile> files);

// The columns of a drawing in a comment stay on their lines: a formatter that wraps them leaves single words behind.
Complaints drawings_broken(std::span<const SourceFile> files);

// Every header begins with a comment that states its purpose, and is included once.
Complaints headers_malformed(std::span<const SourceFile> files);

// Every relative link in a Markdown file leads to a file or folder of the tree, and to a heading that exists.
Complaints links_broken(std::span<const SourceFile> files);

// A Python program ends in .py, so that the linter and the type checker of ./dev lint find it.
Complaints python_unnamed(std::span<const SourceFile> files);

// No path of a particular machine.
Complaints machine_paths(std::span<const SourceFile> files);

}  // namespace dpm
