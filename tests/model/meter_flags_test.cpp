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

TEST_CASE("flags: the metering report's names mean the same events", "[model]") {
  const auto flags =
      apply_flags(MeterFlags{}, "accept,connect,send,receivecall,receive,socket,dup,destsocket,fork,termproc").value();
  for (const auto type : {EventType::accept, EventType::connect, EventType::socket, EventType::dup,
                          EventType::destroy_path, EventType::create_process, EventType::destroy_process})
    CHECK(flags.has(type));
  CHECK_FALSE(flags.has(EventType::message_queued));
  CHECK(apply_flags(MeterFlags{}, "METERSEND, M_FORK, MeterDestSocket").value() ==
        apply_flags(MeterFlags{}, "send,createprocess,destroypath").value());
  CHECK(apply_flags(MeterFlags{}, "M_ALL,-M_SEND,M_IMMEDIATE").value() ==
        apply_flags(MeterFlags{}, "all,-send,immediate").value());
  CHECK(apply_flags(MeterFlags{}, "m_forkk").error().what == "no meter flag 'm_forkk' (did you mean 'fork'?)");
}

TEST_CASE("flags: what is printed can be read back", "[model]") {
  const auto flags = apply_flags(MeterFlags{}, "send,startprocess,immediate").value();
  CHECK(apply_flags(MeterFlags{}, to_string(flags)).value() == flags);
  CHECK(to_string(MeterFlags{}) == "none");
}
