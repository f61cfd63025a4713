// Waits for the ends of processes, while a graph is built: which nodes they add after a process's last event.
//
//   the process does its last work     all of its remaining CPU time
//   wake    for a waiter for this thread's end
//   wait    for each other thread of the process that ends with it (only if another process waits for this one)
//   wake    for a waiter for the process's end: all of its threads have ended by then
//   end
//
// A thread that another thread of its process has joined needs no `wait` here: the joining thread ends later.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analysis/history/history.hpp"

namespace dpm {

class EndWaits {
 public:
  // A WAIT: `event` counts within the waiter's events, in the order of the trace. Those of different waiters may come in any
  // order.
  struct Wait {
    std::uint32_t waiter = 0, event = 0;
    std::uint32_t peer = 0;
    bool of_thread = false;  // not of a whole process
    bool inferred = false;
  };
  void add(const Wait& wait) { waits_.push_back(wait); }
  std::size_t count() const { return waits_.size(); }
  const std::vector<Wait>& waits() const { return waits_; }

  // Call after the last add(). `ended_in_trace` answers whether a process has an end of its own in the trace; others
  // are assumed to end after their last event, and such arcs are inferred. Waits for processes that have no events stay
  // open.
  void plan(const std::vector<ProcessInfo>& processes, const std::function<bool(std::uint32_t)>& has_events,
            const std::function<bool(std::uint32_t)>& ended_in_trace);

  std::uint32_t nodes_before_end(std::uint32_t process) const;
  // Calls visit(waits, peer, event, node) for those nodes in order: whether it waits, or wakes `peer`. What it wakes is the WAIT that is
  // `event` of the peer's events in the trace, or (kNoEvent) that is `node` of the peer's nodes.
  template <typename Visit>
  void for_each_node(std::uint32_t process, Visit visit) const {
    if (nodes_before_end(process) == 0) return;
    for (const Node& node : nodes_[process]) {
      const Arc& arc = arcs_[node.arc];
      const std::uint32_t event = arc.in_trace == kNoEvent ? kNoEvent : waits_[arc.in_trace].event;
      visit(!node.wakes, node.wakes ? arc.waiter : arc.waker, event, arc.wait_node);
    }
  }
  // WAITs for processes that have no events.
  std::uint64_t without_waker() const { return waits_.size() - in_trace_; }
  // WAITs whose waker has events, but no end.
  std::uint64_t without_end() const { return without_end_; }

  // Appends the nodes of `process` to `events`, the first with `cpu_ns`. False if it has none.
  bool append(std::uint32_t process, std::uint64_t cpu_ns, std::vector<HistoryEvent>& events);

  // Call after all have been appended: `place` gives the index of a WAIT in `events`.
  void join(std::vector<HistoryEvent>& events, const std::function<std::uint32_t(const Wait&)>& place) const;

 private:
  struct Arc {
    std::uint32_t waker = 0, waiter = 0;
    std::uint32_t wake = kNoEvent, wait = kNoEvent;  // in History::events
    std::uint32_t in_trace = kNoEvent;               // index into `waits_`; kNoEvent: of a thread, as above
    bool inferred = false;
    std::uint32_t wait_node = 0;  // of a thread: place among the waiter's nodes
  };
  struct Node {
    std::uint32_t arc = 0;
    bool wakes = false;
  };

  std::vector<Wait> waits_;
  std::vector<Arc> arcs_;
  std::vector<std::vector<Node>> nodes_;  // by process; empty before plan() and where no process waits
  std::uint64_t without_end_ = 0, in_trace_ = 0;
};

}  // namespace dpm
