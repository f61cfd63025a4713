// Waits for the ends of processes, while a graph is built: which nodes they add behind what each process did last.
//
//   the process does its last work     all of its remaining CPU time
//   wake    who waits for this thread to end
//   wait    for each other thread of the process that ends with it (only if another process waits for this one)
//   wake    who waits for the process to end: all of its threads have ended by then
//   end
//
// A thread that another thread of its process has joined needs no `wait` here: the thread that joined it ends later.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analysis/history/history.hpp"

namespace dpm {

class EndWaits {
 public:
  // A WAIT: `event` counts within what the waiter did, in the order it is in the trace.
  struct Wait {
    std::uint32_t waiter = 0, event = 0;
    std::uint32_t peer = 0;
    bool of_thread = false;  // not of a whole process
    bool inferred = false;
  };
  void add(const Wait& wait) { waits_.push_back(wait); }
  std::size_t count() const { return waits_.size(); }

  // After the last add(). `ended_in_trace` answers whether a process has an end of its own in the trace: others are
  // taken to end after what they did last, and such arcs are inferred. Waits for processes that have no events stay
  // open.
  void plan(const std::vector<ProcessInfo>& processes, const std::function<bool(std::uint32_t)>& has_events,
            const std::function<bool(std::uint32_t)>& ended_in_trace);

  std::uint32_t nodes_before_end(std::uint32_t process) const;
  // Of WAITs whose waker has events, but no end.
  std::uint64_t without_end() const { return without_end_; }

  // Appends the nodes of `process` to `events`, the first with `cpu_ns`. False: it has none.
  bool append(std::uint32_t process, std::uint64_t cpu_ns, std::vector<HistoryEvent>& events);

  // After all have been appended: `place` says where in `events` a WAIT is.
  void join(std::vector<HistoryEvent>& events, const std::function<std::uint32_t(const Wait&)>& place) const;

 private:
  struct Arc {
    std::uint32_t waker = 0, waiter = 0;
    std::uint32_t wake = kNoEvent, wait = kNoEvent;  // in History::events
    std::uint32_t in_trace = kNoEvent;               // index into `waits_`; kNoEvent: of a thread, as above
    bool inferred = false;
  };
  struct Node {
    std::uint32_t arc = 0;
    bool wakes = false;
  };

  std::vector<Wait> waits_;
  std::vector<Arc> arcs_;
  std::vector<std::vector<Node>> nodes_;  // by process; empty before plan() and where no process waits
  std::uint64_t without_end_ = 0;
};

}  // namespace dpm
