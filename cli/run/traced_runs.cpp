#include "cli/run/traced_runs.hpp"

#include <algorithm>

#include "answers/scenario/requests.hpp"
#include "cli/run/simulation.hpp"

namespace dpm::cli {
namespace {

constexpr std::size_t kMostKeptEvents = 10'000'000;  // 240 MB of histories; further runs are simulated again

Result<TracedRun> trace_placement(const Scenario& scenario, const std::vector<std::string>& processes,
                                  const Progressing& progress) {
  Computation computation{.all_processes = processes.empty()};
  if (!processes.empty()) {
    auto named = computation_of(scenario, processes, false);
    if (!named) return named.error();
    computation = *named;
  }
  HistoryBuilder builder(computation);
  const auto truth = simulate(scenario, {&builder}, progress);
  if (!truth) return truth.error();
  auto history = builder.take();
  if (!history) return history.error();
  std::uint64_t cpu_ns = 0;
  std::int64_t end_ns = 0;
  for (const auto& process : truth->processes) {
    const bool included = processes.empty() || std::find(computation.only.begin(), computation.only.end(),
                                                         process.name) != computation.only.end();
    if (!included) continue;
    cpu_ns += process.cpu_time_ns;
    end_ns = std::max(end_ns, process.last_activity.ns);
  }
  TracedRun run{std::move(*history)};
  run.simulated_elapsed_s = static_cast<double>(end_ns) * 1e-9;
  run.simulated_P = static_cast<double>(cpu_ns) / static_cast<double>(end_ns);
  return run;
}

}  // namespace

TracedRuns::TracedRuns(const std::vector<const PredictionMatrix*>& matrices) {
  for (const auto* matrix : matrices)
    for (const auto& placement : matrix->placements)
      for (const auto seed : matrix->seeds) ++all_[{matrix->parameters, matrix->processes, placement, seed}].asked;
}

Result<std::shared_ptr<const TracedRun>> TracedRuns::run(const PredictionMatrix& matrix, const Scenario& scenario,
                                                         const Progressing& progress) {
  One& one = all_[{matrix.parameters, matrix.processes, scenario.placement, scenario.seed}];
  auto run = one.run;
  if (run == nullptr) {
    auto traced = trace_placement(scenario, matrix.processes, progress);
    if (!traced) return traced.error();
    run = std::make_shared<const TracedRun>(std::move(*traced));
  }
  if (one.asked > 0) --one.asked;
  const std::size_t events = run->history.events.size();
  if (one.run == nullptr && one.asked > 0 && kept_events_ + events <= kMostKeptEvents) {
    one.run = run;
    kept_events_ += events;
  } else if (one.run != nullptr && one.asked == 0) {
    one.run = nullptr;
    kept_events_ -= events;
  }
  return run;
}

}  // namespace dpm::cli
