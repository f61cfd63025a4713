// A count that nothing could be held against is not known to be right. A source says so among its warnings, in a sentence
// that begins with these words; who prints a ledger with such a sentence does not say that nothing was lost without it.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace dpm {

inline constexpr const char* kNotCheckable = "not checkable: ";

inline bool is_not_checkable(const std::string& warning) { return warning.starts_with(kNotCheckable); }

inline bool has_not_checkable(const std::vector<std::string>& warnings) {
  return std::any_of(warnings.begin(), warnings.end(), is_not_checkable);
}

}  // namespace dpm
