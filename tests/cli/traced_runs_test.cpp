#include "cli/run/traced_runs.hpp"

#include "tests/support/catch.hpp"

namespace dpm::cli {
namespace {

const char* const kTwoMatrices = R"({"name": "t", "machines": ["red", "blue"],
  "programs": {"client": {"start": [{"repeat": 3, "do": [{"call": "work", "to": "server", "bytes": 10}]}]},
               "server": {"on": [{"kind": "work", "do": [{"compute_s": 0.01}, {"reply": "done", "bytes": 10}]}]}},
  "processes": [{"name": "client", "program": "client"}, {"name": "server", "program": "server"}],
  "placements": {"A": {"client": "red", "server": "blue"}, "B": {"client": "red", "server": "red"}}, "placement": "A",
  "predictions": [{"name": "chosen", "placements": ["A", "B"]},
                  {"name": "recorded", "placements": ["A", "B"], "order": "recorded"},
                  {"name": "other", "placements": ["A", "B"], "seeds": [2]}]})";

TEST_CASE("traced runs: a run that two matrices ask for is simulated once", "[cli]") {
  const auto file = parse_scenario(kTwoMatrices, "test.json", {});
  INFO((file ? "" : file.error().what));
  REQUIRE(file.has_value());
  const auto& chosen = file->predictions[0];
  const auto& recorded = file->predictions[1];
  const auto& other = file->predictions[2];
  const Progressing silent{[](const std::string&) {}, ""};
  TracedRuns runs({&chosen, &recorded, &other});
  const Scenario at_A = place(*file->system, "A", 1).value();
  const auto first = runs.run(chosen, at_A, silent).value();
  CHECK(first->simulated_P > 0);
  CHECK(runs.run(chosen, place(*file->system, "B", 1).value(), silent).value() != first);
  CHECK(runs.run(other, place(*file->system, "A", 2).value(), silent).value() != first);
  CHECK(runs.run(recorded, at_A, silent).value() == first);
  const auto again = runs.run(recorded, at_A, silent).value();  // asked once more than announced: not kept
  CHECK(again != first);
  CHECK(again->simulated_P == first->simulated_P);
}

}  // namespace
}  // namespace dpm::cli
