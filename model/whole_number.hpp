// A whole number as a program has it: of 64 bits, with a sign or without. Comparisons are those of mathematics, so that
// 2^64 - 1 is more than -1, whose bits are the same.
#pragma once

#include <charconv>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace dpm {

class WholeNumber {
 public:
  constexpr WholeNumber() = default;
  constexpr WholeNumber(std::int64_t value) : bits_(static_cast<std::uint64_t>(value)) {}

  static constexpr WholeNumber of_bits(std::uint64_t bits, bool is_unsigned) {
    WholeNumber number;
    number.bits_ = bits;
    number.is_big_ = is_unsigned && bits > static_cast<std::uint64_t>(INT64_MAX);
    return number;
  }

  constexpr std::uint64_t bits() const { return bits_; }
  // From 2^63 on: it has no sign, and does not fit std::int64_t.
  constexpr bool is_big() const { return is_big_; }

  double as_double() const { return is_big_ ? static_cast<double>(bits_) : static_cast<double>(as_signed()); }
  std::string to_text() const { return is_big_ ? std::to_string(bits_) : std::to_string(as_signed()); }
  // None: it is not a whole number, or has more than 64 bits.
  static std::optional<WholeNumber> from_text(std::string_view text) {
    const char* const end = text.data() + text.size();
    std::int64_t value = 0;
    if (const auto read = std::from_chars(text.data(), end, value); read.ec == std::errc() && read.ptr == end)
      return WholeNumber(value);
    std::uint64_t bits = 0;
    if (const auto read = std::from_chars(text.data(), end, bits); read.ec == std::errc() && read.ptr == end)
      return of_bits(bits, true);
    return std::nullopt;
  }
  // A number of JSON: Json takes std::int64_t and std::uint64_t.
  template <typename Json>
  Json as_json() const {
    return is_big_ ? Json(bits_) : Json(as_signed());
  }

  friend constexpr bool operator==(const WholeNumber&, const WholeNumber&) = default;
  friend constexpr std::strong_ordering operator<=>(const WholeNumber& a, const WholeNumber& b) {
    if (a.is_big_ != b.is_big_) return a.is_big_ <=> b.is_big_;
    return a.is_big_ ? a.bits_ <=> b.bits_ : a.as_signed() <=> b.as_signed();
  }

 private:
  constexpr std::int64_t as_signed() const { return static_cast<std::int64_t>(bits_); }

  std::uint64_t bits_ = 0;
  bool is_big_ = false;
};

}  // namespace dpm
