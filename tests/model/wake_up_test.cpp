// What waking costs, by how long the machine had been idle.
#include "model/wake_up.hpp"

#include "tests/support/catch.hpp"

using namespace dpm;

TEST_CASE("wake-ups: linear between the points; constant before the first and beyond the last", "[model]") {
  const auto wake_ups = WakeUps::through({{1, {10, 20, 30}}, {3, {20, 40, 30}}});
  REQUIRE(wake_ups);
  CHECK(wake_ups->after(0).sender_cpu_s == 20);
  CHECK(wake_ups->after(1).sender_cpu_s == 20);
  CHECK(wake_ups->after(2).delivery_s == Approx(15));
  CHECK(wake_ups->after(2.5).sender_cpu_s == Approx(35));
  CHECK(wake_ups->after(2).receiver_cpu_s == Approx(30));
  CHECK(wake_ups->after(100).sender_cpu_s == 40);
  CHECK_FALSE(wake_ups->is_free());
}

TEST_CASE("wake-ups: one point holds always, and none is free", "[model]") {
  CHECK(WakeUps(WakeUp{1, 2, 3}).after(7).receiver_cpu_s == 3);
  CHECK(WakeUps().after(7).is_free());
  CHECK(WakeUps().is_free());
  CHECK(WakeUps(WakeUp{}).is_free());
}

TEST_CASE("wake-ups: impossible values are refused", "[model]") {
  CHECK_FALSE(WakeUps::through({}));
  CHECK_FALSE(WakeUps::through({{-1, {}}}));
  CHECK_FALSE(WakeUps::through({{0, {0, -1, 0}}}));
  CHECK_FALSE(WakeUps::through({{2, {}}, {2, {}}}));
}
