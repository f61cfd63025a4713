#include "answers/live/rows.hpp"

#include <algorithm>
#include <limits>

namespace dpm::cli {
namespace {

constexpr std::size_t kFewEdges = 3;  // not worth a look at the whole window first

// Queues belong to processes, not to threads.
void add_queues(const QueueLevels& queues, RunTime until, const MachineOffsets& offsets, std::span<const RunTime> edges,
                ProcessRows& rows) {
  for (auto& [row, sum] : rows) {
    if (sum.has_queue || !queues.has_queue(row)) continue;
    sum.has_queue = true;
    sum.queue_until = until;
    const auto lengths = queues.of(row, edges, offsets);
    for (std::size_t i = 0; i < lengths.size(); ++i) sum.amounts[i].queue_ns = lengths[i];
  }
}

}  // namespace

double ProcessRow::queue_mean(std::size_t window, RunTime from, RunTime to) const {
  const std::int64_t known_ns = std::min(to, queue_until).ns - from.ns;
  if (!has_queue || known_ns <= 0) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(amounts[window].queue_ns) / static_cast<double>(known_ns);
}

ProcessId row_of(ProcessId process, const TraceInfo& info, bool threads) {
  if (threads || process.value >= info.processes.size()) return process;
  const ProcessId group = info[process].group;
  return group.value < info.processes.size() ? group : process;
}

ProcessRows process_rows(const LiveRecording& recording, std::span<const RunTime> edges, bool threads,
                         const std::function<bool(ProcessId)>& wanted) {
  const LevelsAnalysis& levels = recording.levels();
  const TraceInfo& info = recording.info();
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
  if (const QueueLevels* queues = recording.queues())
    add_queues(*queues, recording.queues_until(), levels.offsets(), edges, rows);
  return rows;
}

void each_pair_row(const LiveRecording& recording, std::span<const RunTime> edges, bool threads, const VisitPair& visit,
                   const std::function<bool(ProcessId, ProcessId)>& wanted) {
  const LevelsAnalysis& levels = recording.levels();
  const TraceInfo& info = recording.info();
  std::map<PairEnds, std::vector<std::size_t>> pairs_of;
  const RunTime ends[] = {edges.front(), edges.back()};
  for (std::size_t pair = 0; pair < levels.pairs(); ++pair) {
    const auto of = levels.ends_of(pair);
    if (of.from.is_none() && of.to.is_none()) continue;  // all pairs that are too many
    const ProcessId from = of.from.is_none() ? kOutside : row_of(of.from, info, threads),
                    to = of.to.is_none() ? kOutside : row_of(of.to, info, threads);
    if (wanted && !wanted(from, to)) continue;
    if (edges.size() > kFewEdges && levels.of_pair(pair, ends).front().messages == 0) continue;
    pairs_of[{from, to}].push_back(pair);
  }
  for (const auto& [row, pairs] : pairs_of) {
    std::vector<PairAmounts> sum(edges.size() - 1);
    for (const std::size_t pair : pairs) {
      const auto amounts = levels.of_pair(pair, edges);
      for (std::size_t i = 0; i < amounts.size(); ++i) sum[i] += amounts[i];
    }
    const auto is_nothing = [](const PairAmounts& did) { return did.messages == 0; };
    if (!std::all_of(sum.begin(), sum.end(), is_nothing)) visit(row, sum);
  }
}

PairRows pair_rows(const LiveRecording& recording, std::span<const RunTime> edges, bool threads,
                   const std::function<bool(ProcessId, ProcessId)>& wanted) {
  PairRows rows;
  const auto keep = [&rows](const PairEnds& ends, const std::vector<PairAmounts>& amounts) { rows[ends] = amounts; };
  each_pair_row(recording, edges, threads, keep, wanted);
  return rows;
}

}  // namespace dpm::cli
