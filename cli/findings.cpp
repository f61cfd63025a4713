#include "cli/findings.hpp"

namespace dpm::cli {

Result<Findings> find_all(const std::string& trace, const HistoryOptions& options, SharingMethod method,
                          const CausalityOptions& causality_options) {
  StatisticsAnalysis statistics;
  QueueAnalysis queues;
  HistoryBuilder builder(options.computation());
  auto input = read_trace(trace, {&statistics, &queues, &builder});
  if (!input) return input.error();
  auto history = builder.take();
  if (!history) return about_trace(*input, history.error());
  const Target target = traced_target(*history);
  auto parallelism = measure_parallelism(*history, target, method);
  if (!parallelism) return about_trace(*input, parallelism.error());
  auto schedule = contended_schedule(*history, target);
  if (!schedule) return about_trace(*input, schedule.error());
  CriticalPath path = critical_path(*history, target, *schedule);
  auto causality = find_causality(*history, causality_options);
  return Findings{std::move(*input),
                  statistics.result(),
                  queues.result(),
                  std::move(*history),
                  target,
                  *parallelism,
                  std::move(*schedule),
                  std::move(path),
                  causality ? std::optional(std::move(*causality)) : std::nullopt};
}

}  // namespace dpm::cli
