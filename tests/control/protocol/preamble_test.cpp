#include "control/transport/frames/preamble.hpp"

#include "control/transport/frames/meter_scope.hpp"
#include "os/hexadecimal.hpp"
#include "tests/support/catch.hpp"

namespace dpm::test {
namespace {

const std::string kKey = "f3c57c7030e4053f3dfc4e53f881642845af765c6d0500c520f924a2a24b6d6b";
const std::string kIdentity = "dpm meter red/foo";
const Nonce kNonce = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

bool is_taken(PreambleReader& reader, std::string_view bytes) {
  for (const char byte : bytes)
    if (!reader.take({&byte, 1})) return false;
  return true;
}

// Computed with Python's hmac and hashlib.
TEST_CASE("preamble: its bytes", "[wire]") {
  CHECK(hexadecimal(make_preamble(kIdentity, kKey, kNonce).value()) ==
        "64706d6d65746572"
        "0100"
        "1100"
        "0102030405060708090a0b0c0d0e0f10"
        "2c7f0b695abe5c450b52e88f298aae5eb92ef4b6a78ebf9014fdd805b5e3d160"
        "64706d206d65746572207265642f666f6f");
  CHECK_FALSE(make_preamble(kIdentity, "no key", kNonce));
  CHECK_FALSE(make_preamble(std::string(kIdentityBytesMax + 1, 'x'), kKey, kNonce));
}

TEST_CASE("preamble: is read byte by byte, and nothing behind it is asked for", "[wire]") {
  const std::string bytes = make_preamble(kIdentity, kKey, kNonce).value();
  PreambleReader reader;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    REQUIRE(reader.wanted() > 0);
    REQUIRE(reader.wanted() <= bytes.size() - i);
    REQUIRE(reader.take({&bytes[i], 1}));
  }
  CHECK(reader.wanted() == 0);
  CHECK(reader.identity() == kIdentity);
  CHECK(reader.nonce() == kNonce);
  CHECK(reader.is_proved(kKey));
}

TEST_CASE("preamble: proves nothing with another key, and if any byte of it differs", "[wire]") {
  const std::string bytes = make_preamble(kIdentity, kKey, kNonce).value();
  PreambleReader right;
  REQUIRE(is_taken(right, bytes));
  CHECK_FALSE(right.is_proved(std::string(64, '0')));
  CHECK_FALSE(right.is_proved("no key"));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string other = bytes;
    other[i] = static_cast<char>(other[i] ^ 1);
    PreambleReader reader;
    const bool is_whole = is_taken(reader, std::string_view(other).substr(0, kPreambleHeadBytes)) &&
                          reader.wanted() == kIdentity.size() &&
                          is_taken(reader, std::string_view(other).substr(kPreambleHeadBytes));
    CHECK_FALSE((is_whole && reader.is_proved(kKey)));
  }
}

TEST_CASE("preamble: other bytes and impossible lengths are refused as soon as they are seen", "[wire]") {
  const std::string bytes = make_preamble(kIdentity, kKey, kNonce).value();
  for (const std::string& other :
       {std::string("GET / HTTP/1.1"), std::string("\x16\x03\x01", 3), std::string(60, 'd')}) {
    PreambleReader reader;
    CHECK_FALSE(is_taken(reader, other));
  }
  for (const auto& [low, high] : {std::pair(0, 0), std::pair(0x59, 2), std::pair(0xFF, 0xFF)}) {
    std::string other = bytes.substr(0, 12);
    other[10] = static_cast<char>(low);
    other[11] = static_cast<char>(high);
    PreambleReader reader;
    CHECK_FALSE(is_taken(reader, other));
  }
  PreambleReader longest;
  CHECK(is_taken(longest, make_preamble(std::string(kIdentityBytesMax, 'x'), kKey, kNonce).value()));
}

}  // namespace
}  // namespace dpm::test
