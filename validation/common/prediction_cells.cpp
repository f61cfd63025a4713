#include "validation/common/prediction_cells.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/parallelism/parallelism.hpp"
#include "analysis/prediction/prediction.hpp"
#include "validation/common/need.hpp"
#include "validation/common/traced_run.hpp"

namespace dpm::validation {
namespace {

double replayed_P(Replay& replay, Order order, const Target& target) {
  const ReplayResult run = replay.run(order, target.machine_of);
  return run.not_performed > 0 ? 0 : static_cast<double>(run.cpu_ns) / run.elapsed_ns;
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
  for (const auto& placement : system.file.placement_names)
    runs.emplace_back(instance(system.file, placement, {}, system.seed));
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
