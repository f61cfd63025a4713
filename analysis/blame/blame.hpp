// Where the elapsed time of a process or of one request went: parts that do not overlap and leave nothing out.
//
// Between two events of a process, PROCTIME, READYTIME and DISKTIME say how long it ran, was ready and did not run, and
// waited for a disk. What is left it was idle. If it was idle until a message came, the idle time is divided once more:
//
//     A   ───SEND──RECEIVECALL▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒RECEIVE───     ▒ idle: from u to v
//                             u          s   /v
//     B   ─────────────────────────────SEND─/               s: when B sent the message
//
// From s to v the message was in transit. From u to s, A waited for what B did then, and that is divided in the same way,
// through as many processes as wait for each other. So all amounts of a tree add up to the interval, to the nanosecond.
//
// Within an interval between two events the order of the parts is not known. An idle time after a RECEIVECALL comes first; one
// of a process that sleeps in poll() until a message is sent ends when it is sent, or as early as it can. Time in the CPU's
// queue is where other processes of the trace wanted the machine's CPUs, too (CpuContention); the other parts are spread evenly.
//
// Which program had the CPU while a process was in its queue, and how much of the time that no event explains it waited at locks,
// for timers and for signals, TraceInfo::wait_causes has for the whole life of a process. A part of it is divided in the same
// proportions.
//
// Times are on one axis for all machines; an error of the clocks moves time between B's part and "on its way".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/blame/blame_node.hpp"
#include "analysis/blame/cause_shares.hpp"
#include "analysis/blame/cpu_contention.hpp"
#include "analysis/blame/process_line.hpp"
#include "analysis/blame/sampled_division.hpp"
#include "analysis/blame/sampled_states.hpp"
#include "model/event.hpp"
#include "model/trace_info.hpp"

namespace dpm {

struct BlameOptions {
  std::uint32_t depth_max = 64;
};

// `events` in the order of each process, messages resolved; `times_ns` has one entry for each.
class BlameAnalysis {
 public:
  BlameAnalysis(std::span<const Event> events, std::span<const std::int64_t> times_ns, const TraceInfo& info,
                BlameOptions options = {});
  BlameAnalysis(const BlameAnalysis&) = delete;

  using Interval = BlameInterval;
  // The process whose first and last event are farthest apart; none: the trace has not got an event.
  std::optional<ProcessId> longest() const;
  // From its first event to its last; none: it has no event.
  std::optional<Interval> lifetime(ProcessId process) const;
  // From the n-th SEND of the process (from 1) that is answered to the RECEIVE of the answer.
  std::optional<Interval> request(ProcessId process, std::size_t number) const;
  std::size_t requests(ProcessId process) const;

  BlameNode divide(ProcessId process, Interval interval) const;
  // For traces that do not have all times. `states` on the axis of `times_ns`.
  SampledBlame divide(ProcessId process, Interval interval, const SampledStates& states) const;
  // Whether the time of this process is split everywhere.
  bool is_measured(ProcessId process) const;

 private:
  // Null: it has no event.
  const ProcessLine* line_of(ProcessId process) const;

  BlameOptions options_;
  std::vector<ProcessLine> lines_;  // by process
  CpuContention contention_;
  CauseShares causes_;
};

}  // namespace dpm
