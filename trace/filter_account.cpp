#include "trace/filter_account.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace dpm {
namespace {

constexpr std::string_view kUnwritten = "unwritten", kWritten = "written";

// The word before the next blank, which it takes out.
std::string_view take_word(std::string_view& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

std::optional<std::uint64_t> count_in(std::string_view word) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return number;
}

}  // namespace

std::string to_line(const FilterAccount& account) {
  std::string line = fmt::format("{} {} {}{}{}", account.problem.empty() ? kWritten : kUnwritten, account.unwritten,
                                 account.filtered, account.problem.empty() ? "" : " ", account.problem);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line.substr(0, kFilterAccountBytesMax - 1) + "\n";
}

std::optional<FilterAccount> filter_account_from(std::string_view line) {
  const std::string_view state = take_word(line);
  const auto unwritten = count_in(take_word(line)), filtered = count_in(take_word(line));
  const bool is_whole = state == kUnwritten ? !line.empty() : state == kWritten && line.empty();
  if (!is_whole || !unwritten || !filtered) return std::nullopt;
  return FilterAccount{std::string(line), *unwritten, *filtered};
}

}  // namespace dpm
