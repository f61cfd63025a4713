// What a filter reports of its log to its collector while it runs, one line for each change:
//
//     unwritten 1728 12 write machine_0_filter_0: No space left on device      it cannot write now, and why
//     written 2000 12                                                          it can
//
// The numbers are the events that it could not write, and those that its rules discarded. The line goes to the descriptor
// that the environment variable names. A filter need not report: then its log alone says what it holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dpm {

inline constexpr const char* kFilterStatusVariable = "DPM_FILTER_STATUS";
inline constexpr std::size_t kFilterAccountBytesMax = 1024;  // of a line

struct FilterAccount {
  std::string problem;  // why it cannot write its log; empty: it can
  std::uint64_t unwritten = 0, filtered = 0;
  friend bool operator==(const FilterAccount&, const FilterAccount&) = default;
};

// With its newline, and never longer than kFilterAccountBytesMax.
std::string to_line(const FilterAccount& account);
// Without the newline; nothing if it is not such a line.
std::optional<FilterAccount> filter_account_from(std::string_view line);

}  // namespace dpm
