// The travelling salesman predicted from traces of other placements, against simulations of these placements.
#include <fmt/format.h>

#include "validation/common/matrix_study.hpp"
#include "validation/common/planted_error.hpp"

namespace {

using namespace dpm;
using namespace dpm::validation;

const std::vector<std::string> kPlacements = {"one-per-machine", "two-per-machine", "four-per-machine", "single"};

struct Instance {
  int size, servers, version, matrix_seed;

  std::map<std::string, double> parameters() const {
    return {{"size", size}, {"servers", servers}, {"version", version}, {"matrix_seed", matrix_seed}};
  }
  std::string label() const { return fmt::format("{} cities, {} servers, instance {}", size, servers, matrix_seed); }
};

std::vector<Instance> instances(bool quick) {
  const std::vector<int> matrix_seeds = quick ? std::vector<int>{10194} : std::vector<int>{10194, 1, 2, 3};
  // Cities, servers.
  const std::vector<std::pair<int, int>> sizes = {{12, 8}, {4, 4},  {12, 16}, {8, 4},
                                                  {8, 8},  {12, 4}, {14, 6},  {14, 12}};
  std::vector<Instance> all;
  for (const int version : {1, 2, 3})
    for (const int matrix_seed : matrix_seeds)
      for (const auto& [size, servers] : sizes) all.push_back({size, servers, version, matrix_seed});
  // The thesis's largest.
  if (!quick) all.insert(all.end(), {{16, 4, 3, 10194}, {16, 8, 2, 10194}, {16, 16, 1, 10194}, {20, 8, 1, 10194}});
  return all;
}

ClaimResult measure(const Asked& asked) {
  const ScenarioFile file = shipped_scenario(scenarios_folder() / "tsp");
  MatrixStudy study({{"role", {.order = Order::role}},
                     {"arrival", {.order = Order::arrival}},
                     {"recorded", {.order = Order::recorded}}});
  const auto all = instances(asked.quick);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Instance& one = all[i];
    const std::string group = "version " + std::to_string(one.version);
    say(fmt::format("{}, {} ({} of {})", group, one.label(), i + 1, all.size()));
    std::vector<TracedRun> runs;
    for (const auto& placement : kPlacements)
      runs.emplace_back(instance(file, placement, one.parameters()), asked.plant);
    study.add(runs, group, fmt::format("{}, {}", group, one.label()));
  }
  ClaimResult result;
  for (const std::string method : {"role", "arrival", "recorded"}) {
    const std::string prefix = method == "role" ? "" : method + "_";
    result.figures[prefix + "mean_error"] = 100 * study.errors(method).mean();
    result.figures[prefix + "worst_error"] = 100 * study.errors(method).worst();
  }
  result.remarks = {"in arrival order, in which tasks do not go to free workers, the worst cell is " +
                    study.errors("arrival").worst_cell()};
  result.tables = {study.summary()};
  for (const std::string method : {"role", "arrival"})
    for (auto& table : study.tables(method)) result.tables.push_back(std::move(table));
  result.plots = {study.plot("P of the travelling salesman, each placement from the traces of the others")};
  return result;
}

}  // namespace

int main(int argc, char** argv) { return run_claim_program(argc, argv, {kPlants, measure}); }
