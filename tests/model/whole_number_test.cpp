#include "model/whole_number.hpp"

#include <string>
#include <vector>

#include "tests/support/catch.hpp"

using dpm::WholeNumber;

namespace {

__extension__ using Wide = __int128;

struct Number {
  WholeNumber number;
  Wide wide;
};

std::string text_of(Wide wide) {
  if (wide < 0) return "-" + std::to_string(static_cast<std::uint64_t>(-wide));
  return std::to_string(static_cast<std::uint64_t>(wide));
}

}  // namespace

TEST_CASE("whole numbers: order and text are those of mathematics, with a sign and without", "[model]") {
  constexpr std::uint64_t kEdges[] = {
      0, 1, 2, 255, 1ull << 62, (1ull << 63) - 1, 1ull << 63, (1ull << 63) + 1, ~0ull - 1, ~0ull};
  std::vector<Number> numbers;
  for (const std::uint64_t bits : kEdges) {
    numbers.push_back({WholeNumber::of_bits(bits, true), bits});
    numbers.push_back({WholeNumber::of_bits(bits, false), static_cast<std::int64_t>(bits)});
  }
  for (const Number& a : numbers) {
    CHECK(a.number.to_text() == text_of(a.wide));
    CHECK(a.number.as_double() == static_cast<double>(a.wide));
    CHECK(WholeNumber::from_text(text_of(a.wide)) == a.number);
    for (const Number& b : numbers) {
      CHECK((a.number == b.number) == (a.wide == b.wide));
      CHECK((a.number < b.number) == (a.wide < b.wide));
      CHECK((a.number >= b.number) == (a.wide >= b.wide));
    }
  }
}

TEST_CASE("whole numbers: what has more than 64 bits, or other characters, is refused", "[model]") {
  for (const char* text : {"", "-", "+1", " 1", "1 ", "1.0", "0x1", "18446744073709551616", "-9223372036854775809"})
    CHECK_FALSE(WholeNumber::from_text(text));
}
