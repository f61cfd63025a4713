// Where the elapsed time of a process or of one request went: parts that do not overlap and leave nothing out.
//
// Between two events of a process, PROCTIME, READYTIME and DISKTIME say how long it ran, was ready and did not run, and
// waited for a disk. What is left it was idle. If it was idle until a message came, the idle time is divided once more:
//
//     A   ───SEND──RECEIVECALL▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒RECEIVE───     ▒ idle: from u to v
//                             u          s   /v
//     B   ─────────────────────────────SEND─/               s: when B sent the message
//
// From s to v the message was on its way. From u to s, A waited for what B did then, and that is divided in the same way,
// through as many processes as wait for each other. So all amounts of a tree add up to the interval, to the nanosecond.
//
// Within an interval between two events the order of the parts is not known. An idle time after a RECEIVECALL comes first; one
// of a process that sleeps in poll() until a message is sent ends when it is sent, or as early as it can. Time in the CPU's
// queue is where other processes of the trace wanted the machine's CPUs, too (CpuContention); the other parts are spread evenly.
//
// Which program had the CPU while a process was in its queue, and how much of the time that no event explains it waited at locks
// and for timers, TraceInfo::wait_causes has for the whole life of a process. A part of it is divided in the same proportions.
//
// Times are on one axis for all machines; an error of the clocks moves time between B's part and "on its way".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/blame/cpu_contention.hpp"
#include "analysis/blame/sampled_states.hpp"
#include "model/event.hpp"
#include "model/trace_info.hpp"

namespace dpm {

enum class BlamePart : std::uint8_t {
  cpu,           // it ran
  cpu_queue,     // it was ready, and others ran
  disk,          // it waited for a disk
  lock,          // idle, until another program released a lock
  timer,         // idle, for a time that it chose
  other,         // idle, and no event ended it: people, devices, and where they are not known locks and timers
  on_its_way,    // the message for which the process above waits had been sent
  not_split,     // the trace does not say which: the times are not measured
  not_seen,      // no event covers this time: before the process's first event, after its last, or a process outside
  not_followed,  // processes wait for each other in a circle, or through more than BlameOptions::depth_max others
};
inline constexpr std::size_t kBlameParts = 10;

// Why one process waits for another.
enum class BlameWait : std::uint8_t { message, process_end, thread_end, signal, lock };

// Of the parts cpu_queue and lock: the program that had the CPU or the lock.
struct BlameRival {
  BlamePart part = BlamePart::cpu_queue;
  ProcessId process;  // none: it is not in the trace, and has a name
  std::string name;
  std::int64_t time_ns = 0;
};

struct BlameNode {
  ProcessId process;
  std::int64_t parts_ns[kBlameParts] = {};
  std::vector<BlameRival> rivals;  // the longest first; what they leave of their part, other programs had
  std::vector<BlameNode> waits;    // for other processes, the longest first
  BlameWait why = BlameWait::message;
  std::uint64_t times = 0;  // how often the process above waited for it

  std::int64_t of(BlamePart part) const { return parts_ns[static_cast<std::size_t>(part)]; }
  std::int64_t total_ns() const;
};

// The same from samples: each part has its share of them, and `times` of a wait is how many found it.
struct SampledBlame {
  BlameNode root;
  std::uint64_t samples = 0;  // in the interval; 0: nothing is divided
};

struct BlameOptions {
  std::uint32_t depth_max = 64;
};

// `events` in the order of each process, messages resolved; `times_ns` has one entry for each.
class BlameAnalysis {
 public:
  BlameAnalysis(std::span<const Event> events, std::span<const std::int64_t> times_ns, const TraceInfo& info,
                BlameOptions options = {});

  struct Interval {
    std::int64_t from_ns = 0, to_ns = 0;
  };
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
  // From one event of a process to the next.
  struct Gap {
    std::int64_t from_ns = 0, to_ns = 0;
    std::int64_t idle_from_ns = 0, idle_to_ns = 0;
    std::int64_t cpu_ns = 0, ready_ns = 0, disk_ns = 0,
                 other_ns = 0;  // outside the idle time; what is left is not split
    std::int64_t busy_ns() const { return to_ns - from_ns - (idle_to_ns - idle_from_ns); }
    // What of it is before `at_ns`.
    std::int64_t busy_until(std::int64_t at_ns) const;
    ProcessId waits_for;  // of the idle time; none: something else
    BlameWait why = BlameWait::message;
    std::int64_t sent_ns = 0;
  };
  struct Line {
    std::vector<Gap> gaps;
    std::vector<Interval> requests;
    std::int64_t first_ns = 0, last_ns = 0;
    MachineId machine;
    std::int64_t ready_ns = 0, other_ns = 0;  // in all
    std::vector<WaitCause> causes;
    bool seen = false, measured = true;
  };
  struct Waiting {
    ProcessId process;
    const Waiting* above = nullptr;
    std::uint32_t depth = 0;
  };

  struct Instant {
    std::size_t sample = 0;
    std::int64_t weight_ns = 0;  // the time that the sample stands for
  };

  using Times = std::span<const std::int64_t>;
  void build(ProcessId process, std::span<const std::uint32_t> own, Times sent_at, Times ended_at);
  // What the idle time of the gap between two events waits for; `idle_ns` may become less.
  void find_wait(Gap& gap, std::span<const std::uint32_t> own, std::size_t i, Times sent_at, Times ended_at,
                 std::int64_t& idle_ns) const;
  void name_rivals(BlameNode& node) const;
  void find_contention(const TraceInfo& info);
  // How much of the gap's time in the CPU's queue is before `at_ns`.
  std::int64_t queued_until(const Gap& gap, MachineId machine, std::int64_t at_ns) const;
  void divide_busy(const Gap& gap, MachineId machine, Interval part, BlameNode& node) const;
  void add(BlameNode& node, Interval interval, const Waiting& waiting) const;
  void look(BlameNode& node, const Instant& instant, const Waiting& waiting, const SampledStates& states) const;
  // Null: the process was not seen then.
  const Gap* gap_at(ProcessId process, std::int64_t at_ns) const;
  // Whether what `waiting` waits for waits for the process itself, or is too deep.
  bool is_circle(ProcessId process, const Waiting& waiting) const;
  static BlameNode& waited_for(BlameNode& node, ProcessId process, BlameWait why);
  static void sort_longest_first(BlameNode& node);

  std::span<const Event> events_;
  std::span<const std::int64_t> times_ns_;
  BlameOptions options_;
  std::vector<Line> lines_;  // by process
  CpuContention contention_;
};

}  // namespace dpm
