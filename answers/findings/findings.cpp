#include "answers/findings/findings.hpp"

#include <algorithm>

#include "analysis/history/history.hpp"
#include "analysis/statistics/threads.hpp"
#include "answers/findings/blame_findings.hpp"
#include "answers/reading/trace_history.hpp"
#include "answers/reading/trace_input.hpp"
#include "model/process_names.hpp"

namespace dpm::cli {
namespace {

std::vector<EventSink*> with_first(EventSink& first, std::vector<EventSink*> others) {
  others.insert(others.begin(), &first);
  return others;
}

}  // namespace

bool ParallelismFindings::is_of(const Computation& other, SharingMethod other_method) const {
  return method == other_method && is_same(computation, other);
}

Result<ParallelismFindings> find_parallelism(std::shared_ptr<const History> history, const Computation& computation,
                                             SharingMethod method) {
  const Target target = traced_target(*history);
  auto parallelism = measure_parallelism(*history, target, method);
  if (!parallelism) return parallelism.error();
  auto schedule = contended_schedule(*history, target);
  if (!schedule) return schedule.error();
  CriticalPath path = critical_path(*history, target, *schedule);
  Efficiency efficiency = find_efficiency(*history, target, *parallelism, {*schedule, path}, true);
  auto caveat = warning_of(parallelism->overlaps, *history, path.t_max_s);
  return ParallelismFindings{std::move(history),    computation,          method,
                             *parallelism,          std::move(*schedule), std::move(path),
                             std::move(efficiency), std::move(caveat)};
}

FindingsReader::FindingsReader(Asked asked)
    : asked_(std::move(asked)),
      queue_sinks_(with_first(queues_, asked_.queue_sinks)),
      queue_feed_(queue_sinks_, asked_.by_thread),
      other_load_(asked_.history) {
  builders_.add(asked_.history);
  for (const auto& computation : asked_.computations) builders_.add(computation);
}

std::vector<EventSink*> FindingsReader::sinks() {
  std::vector<EventSink*> sinks = builders_.sinks();
  sinks.insert(sinks.end(), {&statistics_, &queue_feed_, &waits_, &other_load_});
  if (asked_.blame) sinks.insert(sinks.end(), {&clocks_, &keeper_});
  sinks.insert(sinks.end(), asked_.sinks.begin(), asked_.sinks.end());
  return sinks;
}

Result<Findings> FindingsReader::take(TraceInput input) {
  Findings found{.input = std::move(input), .statistics = statistics_.result(), .queues = queues_.result()};
  if (!asked_.by_thread) found.statistics = sum_threads(std::move(found.statistics), found.input.info);
  found.queues.own_waits = waits_.result(found.input.info, asked_.by_thread);
  found.warnings = found.queues.warnings;
  if (asked_.blame) {
    auto blame = find_blame(keeper_.events(), clocks_, found.input, {});
    if (blame)
      found.blame = *std::move(blame);
    else
      found.missing.push_back("no division of the elapsed time: " + blame.error().what);
  }

  found.histories = builders_.take();
  const Computation computation = asked_.history;
  const auto history = found.histories.of(computation);
  if (!history) {
    // A name that the trace does not have is a mistake on the command line; other errors concern the trace.
    if (!check_process_names(found.input.info, asked_.history.only)) return about_trace(found.input, history.error());
    found.missing.push_back("no parallelism, longest path, request paths or space-time diagram: " +
                            history.error().what);
    return found;
  }
  const auto& warnings = (*history)->warnings;
  found.warnings.insert(found.warnings.begin(), warnings.begin(), warnings.end());
  if (auto causality = find_causality(**history, asked_.causality)) found.causality = std::move(*causality);
  auto parallel = find_parallelism(*history, computation, asked_.method);
  if (parallel) {
    if (parallel->caveat) found.warnings.push_back(*parallel->caveat);
    add_other_load(*parallel->history, traced_target(*parallel->history), parallel->schedule, other_load_.machines(),
                   parallel->parallelism);
    if (auto warning = warning_of_other_load(parallel->parallelism)) found.warnings.push_back(*std::move(warning));
    found.parallel = std::move(*parallel);
  } else {
    found.missing.push_back("no parallelism, longest path or space-time diagram: " + parallel.error().what);
  }
  return found;
}

Result<Findings> find_all(const std::string& trace, Asked asked) {
  FindingsReader reader(std::move(asked));
  auto input = read_trace(trace, reader.sinks());
  if (!input) return input.error();
  return reader.take(std::move(*input));
}

}  // namespace dpm::cli
