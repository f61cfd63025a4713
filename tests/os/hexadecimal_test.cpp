// Bytes as hexadecimal digits, and secrets made of them.
#include "os/hexadecimal.hpp"

#include <array>

#include "os/random.hpp"
#include "tests/support/catch.hpp"

namespace dpm {

TEST_CASE("hexadecimal: every byte comes back", "[os]") {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes.push_back(static_cast<char>(byte));
  const std::string text = hexadecimal(bytes);
  CHECK(text.starts_with("000102"));
  CHECK(text.ends_with("fdfeff"));
  CHECK(from_hexadecimal(text) == bytes);
  CHECK(from_hexadecimal("") == "");
}

TEST_CASE("hexadecimal: half a byte and other characters are refused", "[os]") {
  for (const char* text : {"0", "000", "0g", "0G", "AB", " 0", "0x"}) CHECK(!from_hexadecimal(text));
}

TEST_CASE("hexadecimal: an array is filled completely or not at all", "[os]") {
  std::array<unsigned char, 2> bytes = {7, 7};
  CHECK(!read_hexadecimal("01", bytes));
  CHECK(!read_hexadecimal("010203", bytes));
  CHECK(!read_hexadecimal("010x", bytes));
  CHECK(bytes == std::array<unsigned char, 2>{7, 7});
  CHECK(read_hexadecimal("01ff", bytes));
  CHECK(bytes == std::array<unsigned char, 2>{1, 255});
}

TEST_CASE("random: a secret has 64 digits and differs from the one before", "[os]") {
  const auto first = new_secret(), second = new_secret();
  REQUIRE(first);
  REQUIRE(second);
  CHECK(first->size() == 64);
  CHECK(is_hexadecimal(*first));
  CHECK(*first != *second);
}

}  // namespace dpm
