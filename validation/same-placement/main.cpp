// What must be exact. A run's own trace gives back its makespan: the meter lost nothing, the graph contains everything
// that took time, and the replay shares processors as the simulator does. And a program whose processes react to the
// message alone is predicted exactly on any placement.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "validation/common/matrix_study.hpp"
#include "validation/common/planted_error.hpp"
#include "validation/same-placement/gossip.hpp"

namespace {

using namespace dpm;
using namespace dpm::validation;

struct OwnTraces {
  CellErrors errors;
  double cpu_error_ns = 0;
  std::uint64_t not_performed = 0;
};

void check_own_trace(const TracedRun& run, const std::string& plant, const std::string& what, OwnTraces& found) {
  const Target target = traced_target(run.history);
  Replay replay(run.history, target);
  for (const Order order : {Order::recorded, Order::arrival}) {
    const ReplayResult replayed = replay.run(with_error(plant, order), target.machine_of);
    found.not_performed += replayed.not_performed;
    found.cpu_error_ns = std::max(found.cpu_error_ns, std::fabs(static_cast<double>(replayed.cpu_ns) - run.cpu_ns()));
    found.errors.add(replayed.elapsed_ns * 1e-9 / run.elapsed_s() - 1,
                     fmt::format("{}, {} order", what, name_of(order)));
  }
}

void try_shipped_scenarios(const Asked& asked, OwnTraces& found, ResultTable& table) {
  for (const auto& folder : std::filesystem::directory_iterator(scenarios_folder())) {
    if (!std::filesystem::exists(folder.path() / "scenario.json")) continue;
    const ScenarioFile file = shipped_scenario(folder.path());
    // A run that is ended by its limit is cut in the middle of work, of which its trace does not have the end.
    if (!file.placement_names.empty() && instance(file, file.placement_names.front()).time_limit.ns > 0) continue;
    OwnTraces own;
    for (const auto& placement : file.placement_names) {
      say(fmt::format("own traces: {}, {}", file.name, placement));
      for (std::uint64_t seed = 1; seed <= (asked.quick ? 1 : 5); ++seed) {
        const TracedRun run(instance(file, placement, {}, seed), asked.plant);
        check_own_trace(run, asked.plant, fmt::format("{}, {}", file.name, placement), own);
        check_own_trace(run, asked.plant, fmt::format("{}, {}", file.name, placement), found);
      }
    }
    table.rows.push_back({file.name, std::to_string(own.errors.count()), number_text(own.errors.worst())});
  }
}

void try_random_systems(const Asked& asked, OwnTraces& found, ResultTable& table) {
  const std::uint64_t systems = asked.quick ? 20 : 100;
  for (const double mean_s : {1e-4, 1e-2, 1., 1e3}) {
    say(fmt::format("own traces: random systems with computations of {} s", number_text(mean_s)));
    OwnTraces own;
    for (std::uint64_t seed = 1; seed <= systems; ++seed) {
      const std::string what = fmt::format("random system {} with {} s", seed, number_text(mean_s));
      const TracedRun run(gossip_system(seed, mean_s), asked.plant);
      check_own_trace(run, asked.plant, what, own);
      check_own_trace(run, asked.plant, what, found);
    }
    table.rows.push_back({fmt::format("random systems, computations of {} s", number_text(mean_s)),
                          std::to_string(own.errors.count()), number_text(own.errors.worst())});
  }
}

// The file system with a buffer manager that keeps no cache.
MatrixStudy try_message_driven(const Asked& asked) {
  const ScenarioFile file = shipped_scenario(scenarios_folder() / "file-system");
  MatrixStudy study({{"arrival", {.order = Order::arrival}}});
  for (const int users : {2, 4, 7}) {
    for (const int slots : {0, 3}) {
      const std::string group = std::to_string(users) + " users";
      say(fmt::format("message-driven: file system without a cache, {}, {} slots", group, slots));
      for (std::uint64_t seed = 1; seed <= (asked.quick ? 1 : 5); ++seed) {
        std::vector<TracedRun> runs;
        for (const std::string placement : {"A", "B", "C"})
          runs.emplace_back(instance(file, placement, {{"users", users}, {"slots", slots}, {"oblivious", 1}}, seed),
                            asked.plant);
        study.add(runs, group, fmt::format("{}, {} slots, seed {}", group, slots, seed));
      }
    }
  }
  return study;
}

ClaimResult measure(const Asked& asked) {
  OwnTraces found;
  ResultTable table{
      "The traced placement: error of the elapsed time", {"program", "replays", "worst relative error"}, {}};
  try_shipped_scenarios(asked, found, table);
  try_random_systems(asked, found, table);
  const MatrixStudy message_driven = try_message_driven(asked);
  ClaimResult result;
  result.figures = {{"own_trace_error", found.errors.worst()},
                    {"own_trace_cpu_error", found.cpu_error_ns},
                    {"not_performed", static_cast<double>(found.not_performed)},
                    {"message_driven_error", message_driven.errors("arrival").worst()}};
  if (found.errors.worst() > 1e-9) result.remarks = {"the worst own trace is that of " + found.errors.worst_cell()};
  result.tables = {std::move(table)};
  for (auto& matrix : message_driven.tables("arrival")) result.tables.push_back(std::move(matrix));
  result.plots = {message_driven.plot("P of the file system without a cache: exact on every placement")};
  return result;
}

}  // namespace

int main(int argc, char** argv) { return run_claim_program(argc, argv, {kPlants, measure}); }
