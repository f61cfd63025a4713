#include "cli/findings/findings.hpp"

#include <algorithm>

#include "analysis/messages/queue_feed.hpp"
#include "analysis/statistics/threads.hpp"

namespace dpm::cli {
namespace {

bool has_process(const TraceInfo& info, const std::string& name) {
  return std::any_of(info.processes.begin(), info.processes.end(),
                     [&](const ProcessInfo& process) { return process.name == name; });
}

Result<ParallelismFindings> find_parallelism(History history, SharingMethod method) {
  const Target target = traced_target(history);
  auto parallelism = measure_parallelism(history, target, method);
  if (!parallelism) return parallelism.error();
  auto schedule = contended_schedule(history, target);
  if (!schedule) return schedule.error();
  CriticalPath path = critical_path(history, target, *schedule);
  auto doubt = warning_of(parallelism->overlaps, history, path.t_max_s);
  return ParallelismFindings{std::move(history), *parallelism, std::move(*schedule), std::move(path), std::move(doubt)};
}

}  // namespace

Result<Findings> find_all(const std::string& trace, const HistoryOptions& options, SharingMethod method,
                          const CausalityOptions& causality_options, bool by_thread) {
  StatisticsAnalysis statistics;
  QueueAnalysis queues;
  QueueFeed queue_feed(queues, by_thread);
  HistoryBuilder builder(options.computation());
  auto input = read_trace(trace, {&statistics, &queue_feed, &builder});
  if (!input) return input.error();
  Findings found{.input = std::move(*input), .statistics = statistics.result(), .queues = queues.result()};
  if (!by_thread) found.statistics = sum_threads(std::move(found.statistics), found.input.info);
  found.warnings = found.queues.warnings;

  auto history = builder.take();
  if (!history) {
    // A name that the trace does not have is a mistake of whoever asks; all else is the trace's.
    for (const auto& name : options.processes)
      if (!has_process(found.input.info, name)) return about_trace(found.input, history.error());
    found.missing.push_back("no parallelism, longest path, request paths or space-time diagram: " +
                            history.error().what);
    return found;
  }
  found.warnings.insert(found.warnings.begin(), history->warnings.begin(), history->warnings.end());
  if (auto causality = find_causality(*history, causality_options)) found.causality = std::move(*causality);
  auto parallel = find_parallelism(std::move(*history), method);
  if (parallel) {
    if (parallel->doubt) found.warnings.push_back(*parallel->doubt);
    found.parallel = std::move(*parallel);
  } else {
    found.missing.push_back("no parallelism, longest path or space-time diagram: " + parallel.error().what);
  }
  return found;
}

}  // namespace dpm::cli
