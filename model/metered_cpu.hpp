// The CPU time that belongs to a trace: what processes used since they were metered.
//
// PROCTIME counts from the beginning of the process. One that was acquired had used some before; how much, its first event
// with a PROCTIME says. An event without one has 0: older recorders did not read it in STARTPROCESS.
//
//     acquired, has used 3.00 s   RECEIVE      SEND          PROCTIME
//     |---------------------------|------------|
//     STARTPROCESS 3.00 (or 0)    3.01         3.05         0.05 s belong to the trace (or 0.04 s)
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "model/event.hpp"
#include "model/trace_info.hpp"

namespace dpm {

inline bool was_acquired(const TraceInfo& info, ProcessId process) {
  return process.value < info.processes.size() && info[process].acquired;
}

// What a process used between two of its events, by their PROCTIMEs. CPU clocks may go back: then nothing was used.
inline std::uint64_t cpu_between_ns(std::uint64_t before_ns, std::uint64_t after_ns, bool acquired) {
  const bool is_unknown = acquired && before_ns == 0;
  return is_unknown || after_ns < before_ns ? 0 : after_ns - before_ns;
}

inline std::uint64_t cpu_between_ns(const Event& before, const Event& after, const TraceInfo& info) {
  return cpu_between_ns(before.proc_time_ns, after.proc_time_ns, was_acquired(info, after.process));
}

// Of one process, over its events in their order.
class MeteredCpu {
 public:
  void add(const Event& event) {
    if (first_ns_ == 0) first_ns_ = event.proc_time_ns;
    latest_ns_ = std::max(latest_ns_, event.proc_time_ns);
  }
  // Never goes back. That a process was acquired may be known later than its first event.
  std::uint64_t used_ns(bool acquired) const {
    return acquired ? latest_ns_ - std::min(first_ns_, latest_ns_) : latest_ns_;
  }

 private:
  std::uint64_t first_ns_ = 0;  // the first that is not 0
  std::uint64_t latest_ns_ = 0;
};

// For a stretch of a trace: its events as if no process had used CPU time before its first one in it. Those of acquired processes stay as
// they are, because they are read so anyway.
class CpuOfStretch {
 public:
  explicit CpuOfStretch(const TraceInfo& info) : info_(info) {}

  void begin_here(Event& event) {
    if (was_acquired(info_, event.process)) return;
    const std::uint64_t before_ns = before_ns_.try_emplace(event.process.value, event.proc_time_ns).first->second;
    event.proc_time_ns -= std::min(event.proc_time_ns, before_ns);
  }

 private:
  const TraceInfo& info_;
  std::unordered_map<std::uint32_t, std::uint64_t> before_ns_;  // by process
};

}  // namespace dpm
