#include "analysis/parallelism/thesis1984.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "analysis/history/indexed_heap.hpp"
#include "analysis/history/pair_clocks.hpp"

namespace dpm {
namespace {

constexpr std::int64_t kNotScheduledNs = std::numeric_limits<std::int64_t>::min();

// The integral of a machine's runnable count, which is the factor that stretches its processes. While each of them has
// a core, none is stretched: then the count is that of the cores, and the sum is in parts of a core.
struct Runnables {
  std::int64_t cores = 1;
  std::int64_t count = 0;
  std::int64_t at_ns = 0;
  std::int64_t integral = 0;

  std::int64_t at(std::int64_t now_ns) {
    integral += std::max(count, cores) * (now_ns - at_ns);
    at_ns = now_ns;
    return integral;
  }
  std::int64_t stretched_ns(std::int64_t from, std::int64_t to) const { return (to - from + cores / 2) / cores; }
};

enum class Phase : std::uint8_t { between, before, ready, after };

struct Process {
  std::uint32_t event = 0;
  Phase phase = Phase::between;
  bool waiting = false;
  std::int64_t integral_at_begin = 0;
  std::int64_t path_ns = 0;  // the longest path so far, by new weights
};

struct Arrival {
  std::int64_t uncontended_ns = kNotScheduledNs;  // when, in the schedule that is swept
  std::int64_t path_ns = 0;                       // the longest path through the message's arc
};

// Times fit a double exactly: whole nanoseconds below 2^53 are three months.
class ScheduleSweep {
 public:
  ScheduleSweep(const History& history, MessageCosts& costs)
      : history_(history), costs_(costs), arrivals_(history.events.size()), machines_(costs.machine_count()) {
    for (std::uint32_t m = 0; m < machines_.size(); ++m) machines_[m].cores = costs.cores(m);
    for (const auto& arc : history.external_arcs) external_.emplace(arc.from, arc);
  }

  LongestPath run() {
    const std::uint32_t count = history_.process_count();
    processes_.resize(count);
    heap_.reset(count);
    for (std::uint32_t p = 0; p < count; ++p) {
      processes_[p].event = history_.first_event[p];
      if (history_.first_event[p] != history_.first_event[p + 1]) heap_.set(p, 0);
    }
    while (!heap_.empty()) {
      const std::uint32_t p = heap_.least();
      now_ns_ = static_cast<std::int64_t>(heap_.least_key());
      heap_.erase(p);
      step(p);
    }
    for (std::uint32_t p = 0; p < count; ++p) {
      path_.not_reached += history_.first_event[p + 1] - processes_[p].event;
      path_.t_max_ns = std::max(path_.t_max_ns, processes_[p].path_ns);
    }
    return path_;
  }

 private:
  // Advances process p at this instant, until it uses CPU time or waits.
  void step(std::uint32_t p) {
    Process& process = processes_[p];
    process.waiting = false;
    if (process.phase == Phase::before || process.phase == Phase::after) stop_running(p);
    for (; process.event < history_.first_event[p + 1]; ++process.event, process.phase = Phase::between) {
      const CpuCost cost = costs_.cpu(history_.events[process.event], p);
      if (process.phase == Phase::between && run_for(p, cost.before_ns, Phase::before)) return;
      if (process.phase < Phase::after) {
        process.phase = Phase::ready;
        if (!receive(p)) return;
        if (run_for(p, cost.after_ns, Phase::after)) return;
      }
      leave(p);
    }
  }

  bool run_for(std::uint32_t p, std::int64_t cpu_ns, Phase phase) {
    path_.cpu_ns += cpu_ns;
    if (cpu_ns <= 0) return false;
    Runnables& runnables = machines_[costs_.machine_of(p).value];
    processes_[p].integral_at_begin = runnables.at(now_ns_);
    processes_[p].phase = phase;
    ++runnables.count;
    heap_.set(p, static_cast<double>(now_ns_ + cpu_ns));
    return true;
  }

  void stop_running(std::uint32_t p) {
    Process& process = processes_[p];
    Runnables& runnables = machines_[costs_.machine_of(p).value];
    process.path_ns += runnables.stretched_ns(process.integral_at_begin, runnables.at(now_ns_));
    --runnables.count;
    if (process.phase == Phase::before) process.phase = Phase::ready;
  }

  bool receive(std::uint32_t p) {
    Process& process = processes_[p];
    const HistoryEvent& event = history_.events[process.event];
    if (!needs_match(event.kind())) return true;
    const Arrival& arrival = arrivals_[process.event];
    if (arrival.uncontended_ns == kNotScheduledNs && event.match == kNoEvent) return true;
    if (arrival.uncontended_ns == kNotScheduledNs || arrival.uncontended_ns > now_ns_) {
      process.waiting = true;
      if (arrival.uncontended_ns != kNotScheduledNs) heap_.set(p, static_cast<double>(arrival.uncontended_ns));
      return false;
    }
    process.path_ns = std::max(process.path_ns, arrival.path_ns);
    return true;
  }

  void leave(std::uint32_t p) {
    const Process& process = processes_[p];
    const HistoryEvent& event = history_.events[process.event];
    const HistoryKind kind = event.kind();
    if (needs_match(kind) || kind == HistoryKind::end) return;
    Arrival arrival{now_ns_, process.path_ns};
    if (sends_message(kind) && event.peer != kNoPeer) {
      const std::int64_t delivery_ns = costs_.delivery_ns(event, p, event.peer);
      arrival.uncontended_ns = pairs_.arrive(p, event.peer, now_ns_ + delivery_ns);
      arrival.path_ns = path_pairs_.arrive(p, event.peer, process.path_ns + delivery_ns);
    }
    if (event.match != kNoEvent) {
      set_arrival(event.peer, event.match, arrival);
    } else if (const auto arc = external_.find(process.event); kind == HistoryKind::send && arc != external_.end()) {
      const auto elapsed_ns = static_cast<std::int64_t>(arc->second.elapsed_ns);
      set_arrival(p, arc->second.to, {now_ns_ + elapsed_ns, process.path_ns + elapsed_ns});
    }
  }

  void set_arrival(std::uint32_t receiver, std::uint32_t event, const Arrival& arrival) {
    arrivals_[event] = arrival;
    const Process& process = processes_[receiver];
    if (process.waiting && process.event == event) heap_.set(receiver, static_cast<double>(arrival.uncontended_ns));
  }

  const History& history_;
  MessageCosts& costs_;
  std::int64_t now_ns_ = 0;
  std::vector<Process> processes_;
  std::vector<Arrival> arrivals_;  // by RECEIVE
  std::vector<Runnables> machines_;
  std::unordered_map<std::uint32_t, ExternalArc> external_;  // by `from`
  IndexedHeap heap_;  // processes by the end of their current work, or by the arrival they wait for
  PairClocks pairs_, path_pairs_;
  LongestPath path_;
};

}  // namespace

LongestPath thesis1984_path(const History& history, MessageCosts& costs) { return ScheduleSweep(history, costs).run(); }

}  // namespace dpm
