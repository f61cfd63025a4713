#include "model/meter_flags.hpp"

#include "tests/support/catch.hpp"

using namespace dpm;

TEST_CASE("flags: a name adds, a minus removes, all stands for every event", "[model]") {
  const auto flags = apply_flags(MeterFlags{}, "all, -send,immediate").value();
  CHECK_FALSE(flags.has(EventType::send));
  CHECK(flags.has(EventType::receive));
  CHECK(flags.immediate());
  CHECK(apply_flags(flags, "-immediate,send").value() == MeterFlags::all());
}

TEST_CASE("flags: an unknown name is refused with the nearest one", "[model]") {
  const auto flags = apply_flags(MeterFlags{}, "send,recieve");
  REQUIRE_FALSE(flags.has_value());
  CHECK(flags.error().what == "no meter flag 'recieve' (did you mean 'receive'?)");
}

TEST_CASE("flags: what is printed can be read back", "[model]") {
  const auto flags = apply_flags(MeterFlags{}, "send,startprocess,immediate").value();
  CHECK(apply_flags(MeterFlags{}, to_string(flags)).value() == flags);
  CHECK(to_string(MeterFlags{}) == "none");
}
