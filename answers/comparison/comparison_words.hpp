// A comparison in words, for the terminal and for the page.
#pragma once

#include <string>
#include <vector>

#include "analysis/difference/comparison.hpp"

namespace dpm::cli {

// "CPU time"
std::string measure_text(Measure measure);
// The same as a key of JSON.
const char* measure_key(Measure measure);
const char* structural_key(StructuralKind kind);
// An amount with its unit: "1.20 s", "1,204".
std::string amount_text(Measure measure, double amount);
// "+12.00 ms (+3.1 %)"
std::string change_text(Measure measure, double a, double b);
// "server > disk"; "server: run-queue wait (backup)"
std::string name_text(const AmountName& name);
// "new path: client > server > disk, by 12 requests"
std::string structural_text(const StructuralChange& change);

// A number of the whole runs, side by side.
struct WholeRow {
  std::string what, a, b, change;
};
std::vector<WholeRow> whole_rows(const RunProfile& a, const RunProfile& b);

}  // namespace dpm::cli
