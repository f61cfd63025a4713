#include "cli/run/quantity.hpp"

#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"

namespace dpm::cli {
namespace {

const auto kResults = nlohmann::ordered_json::parse(R"({
  "parallelism": {"delay_cpu": {"P": 1.5}, "method": "replay"},
  "branching": [{"at": "B", "from": "R", "probability": 0.25}, {"at": "B", "from": "S", "probability": 0.75}],
  "points": [{"size": 4, "P": 2}, {"size": 8.5, "P": 3}]
})");

double found(const char* pointer) {
  const auto value = find_quantity(kResults, pointer);
  INFO(pointer);
  REQUIRE(value);
  return *value;
}

std::string refusal(const char* pointer) {
  const auto value = find_quantity(kResults, pointer);
  INFO(pointer);
  REQUIRE_FALSE(value);
  return value.error().what;
}

TEST_CASE("quantity: a number is found by names, by position and by what its neighbours say", "[cli]") {
  CHECK(found("/parallelism/delay_cpu/P") == 1.5);
  CHECK(found("/branching/1/probability") == 0.75);
  CHECK(found("/branching/at=B,from=S/probability") == 0.75);
  CHECK(found("/branching/at=B/probability") == 0.25);
  CHECK(found("/points/size=8.5/P") == 3);
  CHECK(found("/points/size=4/P") == 2);
}

TEST_CASE("quantity: what is not there is named with the nearest name", "[cli]") {
  CHECK_THAT(refusal("/paralellism/delay_cpu/P"),
             Catch::Contains("no 'paralellism'") && Catch::Contains("did you mean 'parallelism'"));
  CHECK_THAT(refusal("/parallelism/delay_cpu/Q"), Catch::Contains("no 'Q' in the results"));
  CHECK_THAT(refusal("/branching/at=B,from=T/probability"), Catch::Contains("no 'at=B,from=T'"));
  CHECK_THAT(refusal("/branching/7/probability"), Catch::Contains("no '7'"));
  CHECK_THAT(refusal("/branching/-1/probability"), Catch::Contains("no '-1'"));
  CHECK_THAT(refusal("/branching/1x/probability"), Catch::Contains("no '1x'"));
  CHECK_THAT(refusal("/parallelism/method"), Catch::Contains("is not a number"));
  CHECK_THAT(refusal("/parallelism/delay_cpu/P/more"), Catch::Contains("no 'more'"));
  CHECK_THAT(refusal("parallelism"), Catch::Contains("begins with '/'"));
  CHECK_THAT(refusal(""), Catch::Contains("begins with '/'"));
  CHECK_THAT(refusal("/"), Catch::Contains("no ''"));
}

}  // namespace
}  // namespace dpm::cli
