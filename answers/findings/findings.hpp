// The results of all analyses of one trace, computed once: the content of the report.
//
// A trace may be unable to answer a question. Then the result is absent, and `missing` says why.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/blame/blame_tree.hpp"
#include "analysis/causality/causality.hpp"
#include "analysis/clocks/clocks.hpp"
#include "analysis/history/history.hpp"
#include "analysis/messages/queue_feed.hpp"
#include "analysis/parallelism/critical_path.hpp"
#include "analysis/parallelism/efficiency.hpp"
#include "analysis/parallelism/parallelism.hpp"
#include "analysis/queues/queues.hpp"
#include "analysis/statistics/statistics.hpp"
#include "answers/findings/histories.hpp"
#include "answers/reading/event_keeper.hpp"
#include "answers/reading/tee_sink.hpp"
#include "answers/reading/trace_input.hpp"

namespace dpm::cli {

// The results that need a history graph with CPU times.
struct ParallelismFindings {
  std::shared_ptr<const History> history;
  Computation computation;
  SharingMethod method = SharingMethod::replay;
  Parallelism parallelism;
  Schedule schedule;  // on the traced placement, with delays and CPU sharing
  CriticalPath path;
  Efficiency efficiency;
  std::optional<std::string> caveat;  // why the replay may be more parallel than the run can be

  bool is_of(const Computation& other, SharingMethod other_method) const;
};

Result<ParallelismFindings> find_parallelism(std::shared_ptr<const History> history, const Computation& computation,
                                             SharingMethod method);

struct Findings {
  TraceInput input;
  Statistics statistics;
  Queues queues;
  Histories histories;  // one for each requested computation
  std::optional<ParallelismFindings> parallel;
  std::optional<Causality> causality;  // none: no process outside makes requests, or there is no history
  std::optional<BlameTree> blame;      // of the process that was seen longest; only if it was asked for
  std::vector<std::string> missing;    // "no parallelism, ...: <why>"; empty when there is a result for everything
  std::vector<std::string> warnings;   // of the analyses
};

// What to find in a trace. Statistics and queues are per process, or per thread with `by_thread`.
struct Asked {
  Computation history;
  SharingMethod method = SharingMethod::replay;
  CausalityOptions causality;
  bool by_thread = false;
  bool blame = false;
  std::vector<Computation> computations;  // more histories to build
  std::vector<EventSink*> sinks;          // get the events too
  std::vector<EventSink*> queue_sinks;    // get what the queue analysis gets: arrivals that follow from SENDs too
};

// Collects the events of one reading.
class FindingsReader {
 public:
  explicit FindingsReader(Asked asked);

  std::vector<EventSink*> sinks();

  // After the reading. Refuses names in `asked` that the trace does not have.
  Result<Findings> take(TraceInput input);

 private:
  Asked asked_;
  StatisticsAnalysis statistics_;
  QueueAnalysis queues_;
  TeeSink queue_sinks_;
  QueueFeed queue_feed_;
  ProcessWaits waits_;
  OtherLoadBuilder other_load_;
  HistoryBuilders builders_;
  ClockAnalysis clocks_;  // this and what follows: for the blame
  EventKeeper keeper_;
};

// Reads the trace once. Fails if it cannot be read.
Result<Findings> find_all(const std::string& trace, Asked asked);

}  // namespace dpm::cli
