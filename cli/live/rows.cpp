#include "cli/live/rows.hpp"

#include <algorithm>

namespace dpm::cli {
namespace {

constexpr std::size_t kFewEdges = 3;  // not worth a look at the whole window first

}  // namespace

ProcessId row_of(ProcessId process, const TraceInfo& info, bool threads) {
  if (threads || process.value >= info.processes.size()) return process;
  const ProcessId group = info[process].group;
  return group.value < info.processes.size() ? group : process;
}

ProcessRows process_rows(const LevelsAnalysis& levels, const TraceInfo& info, std::span<const RunTime> edges,
                         bool threads, const std::function<bool(ProcessId)>& wanted) {
  ProcessRows rows;
  for (std::uint32_t p = 0; p < levels.processes(); ++p) {
    const ProcessId process{p}, row = row_of(process, info, threads);
    if (levels.doing(process) == LevelsAnalysis::Doing::not_seen || (wanted && !wanted(row))) continue;
    ProcessRow& sum = rows[row];
    sum.has_queue |= levels.has_queue(process);
    auto amounts = levels.of(process, edges);
    if (sum.amounts.empty()) {
      sum.amounts = std::move(amounts);
    } else {
      for (std::size_t i = 0; i < amounts.size(); ++i) sum.amounts[i] += amounts[i];
    }
  }
  return rows;
}

PairRows pair_rows(const LevelsAnalysis& levels, const TraceInfo& info, std::span<const RunTime> edges, bool threads,
                   const std::function<bool(ProcessId, ProcessId)>& wanted) {
  PairRows rows;
  const RunTime ends[] = {edges.front(), edges.back()};
  for (std::size_t pair = 0; pair < levels.pairs(); ++pair) {
    const auto of = levels.ends_of(pair);
    if (of.from.is_none() || of.to.is_none()) continue;
    const ProcessId from = row_of(of.from, info, threads), to = row_of(of.to, info, threads);
    if (wanted && !wanted(from, to)) continue;
    if (edges.size() > kFewEdges && levels.of_pair(pair, ends).front().messages == 0) continue;
    const auto amounts = levels.of_pair(pair, edges);
    const auto is_nothing = [](const PairAmounts& did) { return did.messages == 0; };
    if (std::all_of(amounts.begin(), amounts.end(), is_nothing)) continue;
    auto& sum = rows[{from, to}];
    if (sum.empty()) sum.resize(amounts.size());
    for (std::size_t i = 0; i < amounts.size(); ++i) sum[i] += amounts[i];
  }
  return rows;
}

}  // namespace dpm::cli
