#include "backends/linux/supervisor/stand_in_watch.hpp"

#include <string>
#include <vector>

#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

constexpr std::int64_t kSecond_ns = 1'000'000'000;

// What happens, in seconds: the meter is stopped, the keeper notices that it goes on, the meter looks.
struct Stop {
  double begins = 0;
  double ends = 0;   // as the keeper tells it; 0: it does not
  double looks = 0;  // the meter, for the first time after it went on; 0: it does not before it ends
};
struct Case {
  std::string name;
  std::vector<Stop> stops;
  double meter_ends = 0;
  std::string told;
};

std::int64_t ns(double seconds) { return static_cast<std::int64_t>(seconds * kSecond_ns); }

}  // namespace

TEST_CASE("stand-in: the loss says how long the meter was stopped, also where its keeper ended meanwhile", "[linux]") {
  const std::vector<Case> cases = {
      {"the keeper sees the meter go on", {{2, 6, 6.1}}, 9, "4.0"},
      {"twice", {{2, 3, 3.1}, {5, 7.5, 7.6}}, 9, "3.5"},
      {"the program and its keeper end meanwhile, and then the meter looks", {{2, 0, 6}}, 9, "4.0"},
      {"they end meanwhile, and the meter does not look before it ends", {{2, 0, 0}}, 6, "4.0"},
      {"once seen, once not", {{2, 3, 3.1}, {5, 0, 7}}, 9, "3.0"},
  };
  for (const Case& one : cases) {
    INFO(one.name);
    StandIn shared = {};
    shared.stopped_ns = ns(100);  // of an earlier meter
    StandInWatch watch(shared);
    for (const Stop& stop : one.stops) {
      shared.stopped_since_ns = ns(stop.begins);
      ++shared.changes;
      shared.calls += 10;
      if (stop.ends != 0) {
        shared.stopped_ns += ns(stop.ends) - ns(stop.begins);
        ++shared.changes;
      }
      if (stop.looks != 0) watch.look(ns(stop.looks));
    }
    const auto loss = watch.loss(ns(one.meter_ends));
    REQUIRE(loss);
    CHECK(loss->events == 10 * one.stops.size());
    CHECK_THAT(loss->reason, Catch::Matchers::Contains("for " + one.told + " s:"));
  }
}

TEST_CASE("stand-in: a meter that was not stopped has no loss", "[linux]") {
  StandIn shared = {};
  StandInWatch watch(shared);
  CHECK_FALSE(watch.look(ns(1)).stands_in);
  CHECK_FALSE(watch.loss(ns(2)));
}
