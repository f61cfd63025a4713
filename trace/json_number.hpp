// Whole numbers of a JSON document that another program wrote. nlohmann_json's own get() turns -1 into 2^64 - 1, cuts what
// does not fit, and for 1e300 leaves the result undefined.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

namespace dpm {

// nlohmann_json's out_of_range, as its at() throws it.
template <typename Json>
nlohmann::json::out_of_range number_out_of_range(const Json& json) {
  constexpr int kNumberOutOfRange = 406;  // as the library's parser numbers this error
  return nlohmann::json::out_of_range::create(kNumberOutOfRange,
                                              "not a whole number, or not in its range: " + json.dump(), &json);
}

// Throws nlohmann_json's out_of_range, like its at(), for what is not a whole number from 0 to the greatest `Number`.
template <typename Number, typename Json>
Number whole_number(const Json& json) {
  if (!json.is_number_unsigned() || json.template get<std::uint64_t>() > std::numeric_limits<Number>::max())
    throw number_out_of_range(json);
  return static_cast<Number>(json.template get<std::uint64_t>());
}

// A count of events; the sum of many is a number, too.
template <typename Json>
std::uint64_t event_count(const Json& json) {
  constexpr std::uint64_t kCountMax = std::uint64_t{1} << 40;
  const auto count = whole_number<std::uint64_t>(json);
  if (count > kCountMax) throw number_out_of_range(json);
  return count;
}

}  // namespace dpm
