// Members of JSON values, by simdjson. A member that is missing, or of another type, counts as absent:
// exporters leave out empty ones.
#pragma once

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dpm {

using Json = simdjson::dom::element;

// Nothing where `object` is not an object, or does not have it.
inline std::optional<Json> member(Json object, std::string_view name) {
  Json found;
  if (object[name].get(found) != simdjson::SUCCESS) return std::nullopt;
  return found;
}

// Nothing is done where it is not a list.
template <typename Act>
void for_each_in(std::optional<Json> value, Act&& act) {
  simdjson::dom::array list;
  if (!value || value->get(list) != simdjson::SUCCESS) return;
  for (const Json element : list) act(element);
}

inline std::string_view text_of(std::optional<Json> value) {
  std::string_view text;
  if (!value || value->get(text) != simdjson::SUCCESS) return {};
  return text;
}

// A text, or a number or truth value as text.
inline std::string any_text_of(std::optional<Json> value) {
  if (!value) return {};
  std::string_view text;
  if (value->get(text) == simdjson::SUCCESS) return std::string(text);
  std::int64_t number = 0;
  if (value->get(number) == simdjson::SUCCESS) return std::to_string(number);
  return {};
}

// Not negative. Whole numbers of 64 bits are often strings, because JavaScript has none; parts are cut off.
inline std::optional<std::uint64_t> number_of(std::optional<Json> value) {
  if (!value) return std::nullopt;
  std::uint64_t number = 0;
  if (value->get(number) == simdjson::SUCCESS) return number;
  double real = 0;
  if (value->get(real) == simdjson::SUCCESS)
    return real >= 0 && real < 1e19 ? std::optional(static_cast<std::uint64_t>(real)) : std::nullopt;
  const std::string_view text = text_of(value);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = error == std::errc{} && !text.empty() && end == text.data() + text.size();
  return is_whole ? std::optional(number) : std::nullopt;
}

// Microseconds, with parts of them, as nanoseconds.
inline std::optional<std::uint64_t> ns_of_us(std::optional<Json> value) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
  if (!value) return std::nullopt;
  std::uint64_t whole = 0;
  double real = 0;
  const bool is_whole =
      value->get(whole) == simdjson::SUCCESS;  // a double cannot hold the microseconds since 1970 with their parts
  if (!is_whole && value->get(real) == simdjson::SUCCESS)
    return real >= 0 && real * 1000 < static_cast<double>(kMost)
               ? std::optional(static_cast<std::uint64_t>(std::llround(real * 1000)))
               : std::nullopt;
  const auto number = is_whole ? std::optional(whole) : number_of(value);
  return number && *number < kMost / 1000 ? std::optional(*number * 1000) : std::nullopt;
}

// The members of these names, in one pass: an object has no index of its members. Of several with one name, the first.
template <std::size_t N>
std::array<std::optional<Json>, N> members(Json json, const std::array<std::string_view, N>& names) {
  std::array<std::optional<Json>, N> found;
  simdjson::dom::object object;
  if (json.get(object) != simdjson::SUCCESS) return found;
  for (const auto& [name, value] : object) {
    const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    if (at < N && !found[at]) found[at] = value;
  }
  return found;
}

}  // namespace dpm
