#include "cli/run/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/statistics/statistics.hpp"
#include "answers/scenario/requests.hpp"
#include "cli/run/simulation.hpp"
#include "text/number_text.hpp"

namespace dpm::cli {
namespace {

// Enumerates the combinations of the axes' values.
std::vector<std::map<std::string, double>> product(const std::vector<SweepAxis>& axes) {
  std::vector<std::map<std::string, double>> points = {{}};
  for (const auto& axis : axes) {
    std::vector<std::map<std::string, double>> longer;
    for (const auto& point : points) {
      for (const double value : axis.values) {
        longer.push_back(point);
        longer.back()[axis.parameter] = value;
      }
    }
    points = std::move(longer);
  }
  return points;
}

std::string words_of(const std::map<std::string, double>& parameters) {
  std::string words;
  for (const auto& [name, value] : parameters) words += " " + name + "=" + significant(value, 6);
  return words;
}

Result<SweepPoint> run_point(const ScenarioFile& file, const SystemTemplate& system, const std::string& placement,
                             std::uint64_t seed, const Progressing& progress) {
  auto scenario = place(system, placement, seed);
  if (!scenario) return scenario.error();
  const auto request = parallelism_request(file);
  auto computation = computation_of(*scenario, request.processes, request.external_time);
  if (!computation) return computation.error();
  HistoryBuilder builder(*computation);
  QueueAnalysis queues({.series_max = 0});
  StatisticsAnalysis statistics;
  const auto truth = simulate(*scenario, {&builder, &queues, &statistics}, progress);
  if (!truth) return truth.error();
  const auto method = method_from(request.prediction);
  if (!method) return method.error();
  auto history = builder.take();
  if (!history) return history.error();

  SweepPoint point;
  point.placement = scenario->placement;
  point.seed = scenario->seed;
  if (truth->total_cpu_ns > 0) {  // otherwise P is 0, and a sweep may still be about elapsed times
    auto parallelism = measure_parallelism(*history, traced_target(*history), *method);
    if (!parallelism) return parallelism.error();
    point.parallelism = *parallelism;
  }
  point.simulated_P = truth->parallelism();
  point.simulated_elapsed_s = truth->makespan.seconds();
  point.messages = truth->messages_delivered;
  for (const auto& queue : queues.result().processes)
    if (queue.in_computation && queue.measured) point.queue_mean[history->info[queue.process].name] = queue.length_mean;
  for (const auto& process : statistics.result().processes)
    if (process.in_computation) point.cpu_percent[history->info[process.process].name] = process.cpu_share * 100;
  return point;
}

template <typename Keep>
double largest(const std::vector<MatrixCell>& cells, Keep keep) {
  double worst = 0;
  for (const auto& cell : cells)
    if (keep(cell)) worst = std::max(worst, std::fabs(cell.error()));
  return worst;
}

bool off_diagonal(const MatrixCell& cell) { return cell.traced != cell.predicted; }

}  // namespace

Result<SweepResult> run_sweep(const ScenarioFile& file, const Overrides& base, const Sweep& sweep, const Say& say) {
  SweepResult result{sweep.name, {}, sweep.placements.size(), {}};
  for (const auto& axis : sweep.axes) result.parameters.push_back(axis.parameter);
  const auto points = product(sweep.axes);
  const std::size_t runs = points.size() * sweep.placements.size() * sweep.seeds.size();
  for (const auto& parameters : points) {
    Overrides overrides = base;
    overrides.placement = sweep.placements.front();
    for (const auto& [name, value] : parameters) overrides.parameters[name] = value;
    const auto in_sweep = [&](const Error& error) {
      return Error{fmt::format("sweep '{}',{}: {}", sweep.name, words_of(parameters), error.what)};
    };
    const auto system = read_system(file, overrides);
    if (!system) return in_sweep(system.error());
    for (const auto& placement : sweep.placements) {
      for (const std::uint64_t seed : sweep.seeds) {
        const Progressing running{say,
                                  fmt::format("sweep '{}', run {} of {}:{}, placement '{}', seed {}", sweep.name,
                                              result.points.size() + 1, runs, words_of(parameters), placement, seed)};
        say(running.doing);
        auto point = run_point(file, **system, placement, seed, running);
        if (!point) return in_sweep(point.error());
        point->parameters = parameters;
        result.points.push_back(std::move(*point));
      }
    }
  }
  return result;
}

Result<MatrixResult> run_matrix(const ScenarioFile& file, const Overrides& base, const PredictionMatrix& matrix,
                                TracedRuns& traced, const Say& say) {
  MatrixResult result{matrix.name, matrix.placements, {}, {}};
  const auto order = order_from(matrix.prediction);
  if (!order) return order.error();
  const auto method = method_from(matrix.prediction);
  if (!method) return method.error();
  result.order = *order;
  Overrides overrides = base;
  overrides.placement = matrix.placements.front();
  for (const auto& [name, value] : matrix.parameters) overrides.parameters[name] = value;
  const auto system = read_system(file, overrides);
  if (!system) return system.error();
  for (const std::uint64_t seed : matrix.seeds) {
    std::vector<Scenario> scenarios;
    std::vector<std::shared_ptr<const TracedRun>> runs;
    for (const auto& placement : matrix.placements) {
      const Progressing running{
          say, fmt::format("predictions '{}': simulating placement '{}', seed {}", matrix.name, placement, seed)};
      say(running.doing);
      auto scenario = place(**system, placement, seed);
      if (!scenario) return scenario.error();
      auto run = traced.run(matrix, *scenario, running);
      if (!run) return Error{"placement '" + placement + "': " + run.error().what};
      scenarios.push_back(std::move(*scenario));
      runs.push_back(std::move(*run));
    }
    for (std::size_t from = 0; from < runs.size(); ++from) {
      for (std::size_t other = 0; other < runs.size(); ++other) {
        const auto target = resolve(runs[from]->history, placement_of(scenarios[other]));
        if (!target) return target.error();
        const auto prediction =
            predict(runs[from]->history, target->target, {.order = *order, .method = *method, .interval = false});
        if (!prediction) return prediction.error();
        result.cells.push_back({matrix.placements[from], matrix.placements[other], seed, prediction->P,
                                runs[other]->simulated_P, prediction->elapsed_s, runs[other]->simulated_elapsed_s});
      }
    }
  }
  return result;
}

std::string longest_queue(const SweepResult& sweep) {
  std::map<std::string, double> longest;
  for (const auto& point : sweep.points)
    for (const auto& [process, length] : point.queue_mean) longest[process] = std::max(longest[process], length);
  const auto most = std::max_element(longest.begin(), longest.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == longest.end() ? "" : most->first;
}

double MatrixResult::worst_cell(const std::string& traced_placement, const std::string& predicted_placement) const {
  double worst = 0;
  for (const auto& cell : cells)
    if (cell.traced == traced_placement && cell.predicted == predicted_placement &&
        std::fabs(cell.error()) >= std::fabs(worst))
      worst = cell.error();
  return worst;
}

double MatrixResult::mean_error() const {
  double sum = 0;
  std::size_t count = 0;
  for (const auto& cell : cells) {
    if (!off_diagonal(cell)) continue;
    sum += std::fabs(cell.error());
    ++count;
  }
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

double MatrixResult::worst_error() const { return largest(cells, off_diagonal); }

double MatrixResult::identity_error() const {
  return largest(cells, [](const MatrixCell& cell) { return !off_diagonal(cell); });
}

}  // namespace dpm::cli
