// Everything the analyses say of one trace, computed once: what the report shows.
#pragma once

#include <optional>
#include <string>

#include "analysis/causality/causality.hpp"
#include "analysis/parallelism/critical_path.hpp"
#include "analysis/parallelism/parallelism.hpp"
#include "analysis/queues/queues.hpp"
#include "analysis/statistics/statistics.hpp"
#include "cli/history_options.hpp"

namespace dpm::cli {

struct Findings {
  TraceInput input;
  Statistics statistics;
  Queues queues;
  History history;
  Target target;  // as traced
  Parallelism parallelism;
  Schedule schedule;
  CriticalPath path;
  std::optional<Causality> causality;  // none: no process outside makes requests
};

Result<Findings> find_all(const std::string& trace, const HistoryOptions& options,
                          SharingMethod method = SharingMethod::replay, const CausalityOptions& causality = {});

}  // namespace dpm::cli
