// What the processes and pairs of a recording did in windows of time, as the page shows them: threads summed into their
// process.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "analysis/levels/levels.hpp"
#include "model/trace_info.hpp"

namespace dpm::cli {

// The process that a thread is shown as; itself, for what is not a thread.
ProcessId row_of(ProcessId process, const TraceInfo& info, bool threads);

struct ProcessRow {
  std::vector<ProcessAmounts> amounts;  // by window between two edges
  bool has_queue = false;
};
using ProcessRows = std::map<ProcessId, ProcessRow>;
// Of the processes with events that `wanted` accepts; all, without it.
ProcessRows process_rows(const LevelsAnalysis& levels, const TraceInfo& info, std::span<const RunTime> edges,
                         bool threads, const std::function<bool(ProcessId row)>& wanted = {});

using PairRows = std::map<std::pair<ProcessId, ProcessId>, std::vector<PairAmounts>>;
// Only pairs with a message between the first and the last edge, of rows that `wanted` accepts.
PairRows pair_rows(const LevelsAnalysis& levels, const TraceInfo& info, std::span<const RunTime> edges, bool threads,
                   const std::function<bool(ProcessId from, ProcessId to)>& wanted = {});

}  // namespace dpm::cli
