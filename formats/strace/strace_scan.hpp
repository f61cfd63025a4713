// Takes numbers off the beginning of a text.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace dpm {

inline constexpr std::int64_t kSecondNs = 1'000'000'000;

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

inline void skip_spaces(std::string_view& text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
}

template <typename Number>
std::optional<Number> take_number(std::string_view& text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// ".344418", in nanoseconds.
inline std::optional<std::int64_t> take_fraction(std::string_view& text) {
  if (text.size() < 2 || text.front() != '.' || !is_digit(text[1])) return std::nullopt;
  text.remove_prefix(1);
  std::int64_t ns = 0, unit = kSecondNs / 10;
  for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1), unit /= 10) ns += (text.front() - '0') * unit;
  return ns;
}

}  // namespace dpm
