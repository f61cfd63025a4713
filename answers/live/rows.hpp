// What the processes and pairs of a recording did in windows of time, as the page shows them: threads summed into their
// process.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "answers/live/live_recording.hpp"

namespace dpm::cli {

// Stands for ends of messages that are not processes of the trace, or not yet: while a program is recorded, programs that are
// not metered have no numbers.
inline constexpr ProcessId kOutside{0xffff'fffe};

// The process that a thread is shown as; itself, for what is not a thread.
ProcessId row_of(ProcessId process, const TraceInfo& info, bool threads);

struct ProcessRow {
  std::vector<ProcessAmounts> amounts;  // by window between two edges
  bool has_queue = false;
  RunTime queue_until{std::int64_t{1} << 61};  // its length is known until then

  // The mean length of the queue in a window, which is from `from` to `to`: of the part that is known, NaN if nothing is.
  double queue_mean(std::size_t window, RunTime from, RunTime to) const;
};
using ProcessRows = std::map<ProcessId, ProcessRow>;
// Of the processes with events that `wanted` accepts; all, without it.
ProcessRows process_rows(const LiveRecording& recording, std::span<const RunTime> edges, bool threads,
                         const std::function<bool(ProcessId row)>& wanted = {});

using PairEnds = std::pair<ProcessId, ProcessId>;  // from, to
using PairRows = std::map<PairEnds, std::vector<PairAmounts>>;
// A missing end is kOutside. Only pairs with a message between the first and the last edge, of rows that `wanted` accepts, in
// the order of their ends. A large system has tens of thousands of them: one is in memory at a time.
using VisitPair = std::function<void(const PairEnds& ends, const std::vector<PairAmounts>& amounts)>;
void each_pair_row(const LiveRecording& recording, std::span<const RunTime> edges, bool threads, const VisitPair& visit,
                   const std::function<bool(ProcessId from, ProcessId to)>& wanted = {});
PairRows pair_rows(const LiveRecording& recording, std::span<const RunTime> edges, bool threads,
                   const std::function<bool(ProcessId from, ProcessId to)>& wanted = {});

}  // namespace dpm::cli
