// The file system predicted from traces of other placements, against simulations of these placements.
#include <fmt/format.h>

#include "validation/common/matrix_study.hpp"
#include "validation/common/planted_error.hpp"

namespace {

using namespace dpm;
using namespace dpm::validation;

const std::vector<std::string> kPlacements = {"A", "B", "C"};

ClaimResult measure(const Asked& asked) {
  const ScenarioFile file = shipped_scenario(scenarios_folder() / "file-system");
  MatrixStudy study({{"arrival", {.order = Order::arrival}},
                     {"recorded", {.order = Order::recorded}},
                     {"thesis1984", {.order = Order::recorded, .method = SharingMethod::thesis1984}}});
  const std::uint64_t seeds = asked.quick ? 2 : 5;
  for (const int users : {2, 4, 7}) {
    const std::string group = std::to_string(users) + " users";
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const std::string label = fmt::format("{}, seed {}", group, seed);
      say(fmt::format("{} of {}", label, seeds));
      std::vector<TracedRun> runs;
      for (const auto& placement : kPlacements)
        runs.emplace_back(instance(file, placement, {{"users", users}}, seed), asked.plant);
      study.add(runs, group, label);
    }
  }
  ClaimResult result;
  for (const std::string method : {"arrival", "recorded", "thesis1984"}) {
    const std::string prefix = method == "arrival" ? "" : method + "_";
    result.figures[prefix + "mean_error"] = 100 * study.errors(method).mean();
    result.figures[prefix + "worst_error"] = 100 * study.errors(method).worst();
  }
  result.remarks = {
      fmt::format("the worst cell in arrival order is {}: the cache of the buffer manager held other blocks",
                  study.errors("arrival").worst_cell())};
  result.tables = {study.summary()};
  for (const std::string method : {"arrival", "recorded"})
    for (auto& table : study.tables(method)) result.tables.push_back(std::move(table));
  result.plots = {study.plot("P of the file system, each placement from the traces of the others")};
  return result;
}

}  // namespace

int main(int argc, char** argv) { return run_claim_program(argc, argv, {kPlants, measure}); }
