// Everything the analyses say of one trace, computed once: what the report shows.
//
// A trace need not answer every question. What it cannot answer is absent, and `missing` says why.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/causality/causality.hpp"
#include "analysis/parallelism/critical_path.hpp"
#include "analysis/parallelism/parallelism.hpp"
#include "analysis/queues/queues.hpp"
#include "analysis/statistics/statistics.hpp"
#include "cli/input/history_options.hpp"

namespace dpm::cli {

// What needs a history graph with CPU times in it.
struct ParallelismFindings {
  History history;
  Parallelism parallelism;
  Schedule schedule;  // on the traced placement, with delays and CPU sharing
  CriticalPath path;
  std::optional<std::string> doubt;  // why the replay may be more parallel than the run could be
};

struct Findings {
  TraceInput input;
  Statistics statistics;
  Queues queues;
  std::optional<ParallelismFindings> parallel;
  std::optional<Causality> causality;  // none: no process outside makes requests, or there is no history
  std::vector<std::string> missing;    // "no parallelism, ...: <why>"; empty when everything was found
  std::vector<std::string> warnings;   // of the analyses
};

// Refuses a trace that cannot be read, and names in `options` that it does not have. Statistics and queues are of
// processes, unless asked `by_thread`.
Result<Findings> find_all(const std::string& trace, const HistoryOptions& options,
                          SharingMethod method = SharingMethod::replay, const CausalityOptions& causality = {},
                          bool by_thread = false);

}  // namespace dpm::cli
