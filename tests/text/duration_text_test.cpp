#include "text/duration_text.hpp"

#include "tests/support/catch.hpp"

namespace dpm::test {

TEST_CASE("times: seconds without a unit, and units from nanoseconds to days", "[text]") {
  struct Case {
    const char* text;
    double seconds;
  };
  for (const auto& [text, seconds] : {Case{"1", 1},
                                      {"0.25", .25},
                                      {"30s", 30},
                                      {"500ms", .5},
                                  {"20us", 20e-6},
                                  {"100ns", 100e-9},
                                      {"1.5m", 90},
                                      {"12h", 43'200},
                                      {"7d", 604'800},
                                      {"0", 0}}) {
    INFO(text);
    const auto duration = duration_from(text);
    REQUIRE(duration);
    CHECK(duration->seconds() == Approx(seconds));
  }
  for (const char* text : {"", "s", "-1", "-5s", "1.2.3s", "1 s", "nan", "inf", "1e3", "60x", "ms", ".", "40000d"}) {
    INFO(text);
    CHECK_FALSE(duration_from(text));
  }
}

}  // namespace dpm::test
