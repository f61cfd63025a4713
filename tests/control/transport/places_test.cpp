#include "control/transport/collector/fair_places.hpp"
#include "control/transport/collector/unproved_places.hpp"
#include "tests/support/catch.hpp"

namespace dpm::test {
namespace {

TEST_CASE("places: the first to go is the oldest of those from where most come", "[meter-path]") {
  FairPlaces places(4);
  CHECK_FALSE(places.enter(1, "flood"));
  CHECK_FALSE(places.enter(2, "red"));
  CHECK_FALSE(places.enter(3, "flood"));
  CHECK_FALSE(places.enter(4, "green"));
  CHECK(places.enter(5, "flood") == 1U);
  CHECK(places.enter(6, "flood") == 3U);
  // As many each: the oldest.
  places.leave(5);
  CHECK(places.taken() == 3);
  CHECK_FALSE(places.enter(7, "blue"));
  CHECK(places.enter(8, "black") == 2U);
  CHECK(places.taken() == 4);
  places.leave(2);  // it has left
  CHECK(places.taken() == 4);
}

TEST_CASE("places: room is made until there is none to be made", "[meter-path]") {
  FairPlaces places(2);
  CHECK_FALSE(places.evict());
  places.enter(1, "red");
  places.enter(2, "green");
  CHECK(places.evict() == 1U);
  CHECK(places.evict() == 2U);
  CHECK_FALSE(places.evict());
}

TEST_CASE("places: a flood from one network does not displace a meter of another one", "[meter-path]") {
  UnprovedPlaces places(16);
  places.enter(1, "red");
  for (FairPlaces::Number number = 2; number < 10'000; ++number) {
    const auto evicted = places.enter(number, "flood");
    CHECK(evicted != 1U);
  }
  CHECK(places.taken() == 12);
}

TEST_CASE("places: a flood from everywhere does not displace those of networks that meters came from", "[meter-path]") {
  UnprovedPlaces places(16);
  places.note_meter("red");
  places.enter(1, "red");
  places.enter(2, "green");
  bool is_displaced = false;
  for (FairPlaces::Number number = 3; number < 1000; ++number) {
    const auto evicted = places.enter(number, std::to_string(number));
    CHECK(evicted != 1U);
    is_displaced |= evicted == 2U;
  }
  CHECK(is_displaced);
  // Nor do they take the places of strangers.
  for (FairPlaces::Number number = 1000; number < 1010; ++number) places.enter(number, "red");
  CHECK(places.taken() == 16);
  for (int i = 0; i < 12; ++i) CHECK(places.evict() < 1000U);
  CHECK(places.evict() >= 1000U);
}

TEST_CASE("places: the networks that are remembered are bounded", "[meter-path]") {
  UnprovedPlaces places(4);
  places.note_meter("red");
  for (std::size_t i = 0; i < UnprovedPlaces::kKnownMax; ++i) places.note_meter(std::to_string(i));
  places.enter(1, "red");
  for (FairPlaces::Number number = 2; number < 5; ++number) places.enter(number, "red");
  CHECK(places.taken() == 3);  // of the strangers
}

}  // namespace
}  // namespace dpm::test
