// A count that could not be checked is not known to be right. A source reports it in a warning that begins with these
// words; a command that prints a ledger with such a warning shows it beside the claim that nothing was lost.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace dpm {

inline constexpr const char* kNotCheckable = "not checkable: ";

inline bool is_not_checkable(const std::string& warning) { return warning.starts_with(kNotCheckable); }

// The warning with the label of one of several traces that became one: a sentence keeps its first words.
inline std::string labelled_warning(const std::string& label, const std::string& warning) {
  if (!is_not_checkable(warning)) return label + ": " + warning;
  return kNotCheckable + label + ": " + warning.substr(std::string(kNotCheckable).size());
}

inline bool has_not_checkable(const std::vector<std::string>& warnings) {
  return std::any_of(warnings.begin(), warnings.end(), is_not_checkable);
}

}  // namespace dpm
