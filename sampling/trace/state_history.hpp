// What the processes of a trace did, from event to event.
//
// Between two events of a process the trace has how long it ran, was ready, and waited for a disk. The rest it was idle:
//
//   after a RECEIVECALL     it waited for a message: the read of a pipe or socket; in a simulation, a message queue
//   before a WAIT           a child, a thread, a signal
//   after a STOPPROCESS     it was stopped
//   otherwise               a timer, or what the trace does not tell: sleep
//
// The order of these parts within the interval is not known. An idle time after a RECEIVECALL or a STOPPROCESS comes first;
// the other parts are spread evenly. A process is `created` from the CREATEPROCESS to its first event.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/event.hpp"
#include "model/trace_info.hpp"
#include "sampling/states/state.hpp"

namespace dpm::sampling {

struct Stretch {
  std::int64_t from_ns = 0, to_ns = 0;
  std::int64_t idle_first_ns = 0;                      // it begins with so much of idle_state
  std::int64_t cpu_ns = 0, ready_ns = 0, disk_ns = 0;  // of what follows; what is left of it is idle_state, too
  State idle_state = State::sleep;

  std::int64_t mixed_ns() const { return to_ns - from_ns - idle_first_ns; }
};

class StateHistory {
 public:
  // `events` in the order of each process, messages resolved; `times_ns`, on one axis, has one entry for each.
  StateHistory(std::span<const Event> events, std::span<const std::int64_t> times_ns, const TraceInfo& info);

  // By process, in the order of time.
  const std::vector<std::vector<Stretch>>& stretches() const { return stretches_; }
  std::int64_t from_ns() const { return from_ns_; }
  std::int64_t to_ns() const { return to_ns_; }
  // Whether the trace has how long processes waited for a CPU and for the disk.
  bool is_measured() const { return is_measured_; }

 private:
  std::vector<std::vector<Stretch>> stretches_;
  std::int64_t from_ns_ = 0, to_ns_ = 0;
  bool is_measured_ = true;
};

}  // namespace dpm::sampling
