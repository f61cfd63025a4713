// No unused code (docs/contributing.md): a function that nothing but tests calls is not a part of the product.
//
// The check compares names, not types. A name is used if it stands anywhere in the product but where a function of that
// name is declared or defined. So one of two functions with the same name may be unused and not be found.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/conventions/conventions.hpp"
#include "tests/support/source_tree.hpp"

namespace dpm {

// A row of unused_functions.txt: functions that are called in a way that the check cannot see.
struct CalledElsewhere {
  std::string what;  // a name, "make_*" for all names that begin so, or a path: all functions of that file or folder
  std::string caller;
};

// Rows of "what | caller"; lines that begin with '#' are comments.
std::vector<CalledElsewhere> read_called_elsewhere(std::string_view text);

// One sentence for each C++ function outside tests/ that nothing outside tests/ uses, and for each row without such a
// function. Library code calls what overrides nothing of the product: these functions are left out.
Complaints unused_functions(std::span<const SourceFile> files, std::span<const CalledElsewhere> rows);

}  // namespace dpm
