// The digests that FIPS 180-2 gives as examples, however the bytes come.
#include "control/protocol/sha256.hpp"

#include "tests/support/catch.hpp"

namespace dpm {
namespace {

TEST_CASE("SHA-256 of the standard's examples") {
  CHECK(Sha256().hexadecimal() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  Sha256 whole;
  whole.add("abc");
  CHECK(whole.hexadecimal() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  Sha256 pieces;
  pieces.add("a");
  pieces.add("");
  pieces.add("bc");
  CHECK(pieces.hexadecimal() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace dpm
