#include "validation/common/prediction_cells.hpp"

#include <algorithm>
#include <map>

#include "analysis/parallelism/parallelism.hpp"
#include "analysis/prediction/prediction.hpp"
#include "validation/common/need.hpp"
#include "validation/common/traced_run.hpp"

namespace dpm::validation {
namespace {

constexpr std::uint64_t kSeedStep = 1'000'003;  // far from the seeds of other systems

double replayed_P(Replay& replay, Order order, const Target& target) {
  const ReplayResult run = replay.run(order, target.machine_of);
  return run.not_performed > 0 ? 0 : static_cast<double>(run.cpu_ns) / run.elapsed_ns;
}

double mean_P_of_other_draws(const PredictedSystem& system, const std::string& placement) {
  if (system.other_draws == 0) return 0;
  double sum = 0;
  for (std::uint64_t draw = 1; draw <= system.other_draws; ++draw)
    sum += TracedRun(instance(system.file, placement, {}, system.seed + draw * kSeedStep)).P();
  return sum / static_cast<double>(system.other_draws);
}

}  // namespace

std::string name_of(Method method) {
  switch (method) {
    case Method::automatic:
      return "auto";
    case Method::arrival:
      return "arrival";
    case Method::role:
      return "role";
    case Method::recorded:
      return "recorded";
    case Method::thesis1984:
      return "thesis1984";
  }
  return "";
}

double Cell::error(Method method) const { return std::fabs(P[static_cast<std::size_t>(method)] / simulated_P - 1); }

std::vector<Cell> cells_of(const PredictedSystem& system) {
  std::vector<TracedRun> runs;
  std::map<std::string, double> other_draws_P;
  for (const auto& placement : system.file.placement_names) {
    runs.emplace_back(instance(system.file, placement, {}, system.seed));
    other_draws_P[placement] = mean_P_of_other_draws(system, placement);
  }
  std::vector<Cell> cells;
  for (const TracedRun& traced : runs) {
    const Roles roles = to_roles(find_role_groups(traced.history), traced.history.process_count());
    for (const TracedRun& other : runs) {
      if (&traced == &other) continue;
      const Target target = traced.target_on(other.scenario);
      Replay replay(traced.history, target, roles);
      const Prediction chosen = need(predict(traced.history, target));
      const auto thesis = need(measure_parallelism(traced.history, target, SharingMethod::thesis1984));
      Cell cell{system.seed, system.group, traced.scenario.placement, other.scenario.placement, system.name};
      cell.messages = traced.truth.messages_delivered;
      cell.simulated_P = other.P();
      cell.P = {chosen.P, replayed_P(replay, Order::arrival, target), replayed_P(replay, Order::role, target),
                replayed_P(replay, Order::recorded, target), thesis.delay_cpu.P};
      cell.low_P = chosen.interval->low_P;
      cell.high_P = chosen.interval->high_P;
      cell.other_draws_P = other_draws_P.at(other.scenario.placement);
      cells.push_back(std::move(cell));
    }
  }
  return cells;
}

double mean_error(const std::vector<Cell>& cells, Method method) {
  double sum = 0;
  for (const Cell& cell : cells) sum += cell.error(method);
  return sum / static_cast<double>(cells.size());
}

double mean_error_of_other_draws(const std::vector<Cell>& cells) {
  double sum = 0;
  for (const Cell& cell : cells) sum += cell.error_of_other_draws();
  return sum / static_cast<double>(cells.size());
}

double coverage(const std::vector<Cell>& cells) {
  const auto held = std::count_if(cells.begin(), cells.end(), [](const Cell& cell) { return cell.held(); });
  return static_cast<double>(held) / static_cast<double>(cells.size());
}

double mean_width(const std::vector<Cell>& cells) {
  double sum = 0;
  for (const Cell& cell : cells) sum += (cell.high_P - cell.low_P) / cell.P.front();
  return sum / static_cast<double>(cells.size());
}

double widths_per_error(const std::vector<Cell>& cells) {
  const double error = mean_error(cells, Method::automatic);
  return error > 0 ? mean_width(cells) / error : 0;
}

const Cell& worst(const std::vector<Cell>& cells, Method method) {
  return *std::max_element(cells.begin(), cells.end(),
                           [&](const Cell& a, const Cell& b) { return a.error(method) < b.error(method); });
}

}  // namespace dpm::validation
