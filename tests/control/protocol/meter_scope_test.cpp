#include "control/transport/frames/meter_scope.hpp"

#include "control/transport/frames/hmac_sha256.hpp"
#include "os/hexadecimal.hpp"
#include "tests/support/catch.hpp"

namespace dpm::test {
namespace {

const std::string kSecret = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

TEST_CASE("hmac: a vector of RFC 4231", "[wire]") {
  CHECK(hexadecimal(hmac_sha256("Jefe", "what do ya want for nothing?")) ==
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

// Computed with Python's hmac and hashlib, from the formulas of RFC 5869.
TEST_CASE("meter scope: the key of each machine and job", "[wire]") {
  const auto key = [](const MeterScope& scope) { return meter_key(kSecret, identity_of(scope)).value(); };
  CHECK(identity_of({"red", "foo"}) == "dpm meter red/foo");
  CHECK(key({"red", "foo"}) == "f3c57c7030e4053f3dfc4e53f881642845af765c6d0500c520f924a2a24b6d6b");
  CHECK(key({"green", "foo"}) == "801174c256534ac750706d8f067aacf8be31b5ebc20f216df672eb7dee7580f0");
  CHECK(key({"red", "bar"}) == "5f669f5f6e90446e211b58cf686893ef7bccb58d330908b4189d1c43dd856be6");
  CHECK(key({"red", "a/b"}) == "6dd5faa0162b15e13db0785f76db8dcc1dc4d6c51c8b33a01c26d909f7f4b708");
  CHECK(filter_id(kSecret).value() == "e06e1cbcb8669c7434272b97dea9077d");
  CHECK_FALSE(meter_key("no secret", "dpm meter red/foo"));
  CHECK_FALSE(filter_id(kSecret.substr(2)));

  FilterAddress filter = {{"blue"}, 4000, kSecret, "f1", false, "id"};
  const auto address = address_for_scope(filter, {"red", "foo"}).value();
  CHECK(address.secret == key({"red", "foo"}));
  CHECK(address.hosts == filter.hosts);
  CHECK(address.id == "id");
}

TEST_CASE("meter scope: identities are read as they are written, and nothing else is", "[wire]") {
  for (const MeterScope& scope : {MeterScope{"red", "foo"}, {"red", "a/b c"}, {"red", ""}, {"a b", "c"}})
    CHECK(scope_from(identity_of(scope)) == scope);
  for (const std::string& other :
       {std::string(), std::string("dpm meter"), std::string("dpm meter "), std::string("dpm meter red"),
        std::string("dpm meter /foo"), std::string("DPM meter red/foo"), "dpm meter red/" + std::string(700, 'x')})
    CHECK_FALSE(scope_from(other));
}

}  // namespace
}  // namespace dpm::test
