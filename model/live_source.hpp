// A source of events that observes programs while they run, and what every such source reports and accepts.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "model/event_source.hpp"
#include "model/meter_flags.hpp"
#include "model/time.hpp"
#include "model/trace_growth.hpp"

namespace dpm {

struct MeterOptions {
  MeterFlags flags = MeterFlags::all();
  // Records that may wait for a slow sink; with more, calls are held up to `patience`, and after that pass unrecorded
  // and counted.
  std::size_t waiting_records_max = 1 << 20;
  Duration patience = Duration::from_seconds(1);
  GrowthSink* names_to = nullptr;  // instead of the tables of the TraceInfo (model/trace_growth.hpp)
  bool callers = false;            // pc is where the program's own code made the call, for some microseconds more each
  bool whole_cpu_time = false;     // do not subtract what notification costs the program
  std::optional<Duration> summary_interval;  // between SUMMARYs of the machine; none: without them
  std::string machine;                       // its name in the trace; empty: the host's
  std::function<void()> on_ready;            // called once, in the thread of run(), when calls are being served
  bool sync_wake_up = true;                  // off: as on a kernel that does not have it (for measurements)
  bool cpu_counters = true;                  // off: as for an account that may not open them (for tests)
};

// What the meter itself did, for the summary at the end.
struct MeterSummary {
  std::uint64_t notified_calls = 0;  // all that waited for us
  std::uint64_t recorded_calls = 0;  // those that moved, or asked for, messages, or waited for a child
  std::uint64_t held_calls = 0;  // that waited with the supervisor until their data was there, or their child had ended
  std::uint64_t unrecorded_events = 0;  // dropped under overload
  std::uint64_t call_cost_ns = 0;       // CPU time that one notification costs the program, measured and subtracted
  std::size_t processes = 0, threads = 0;
};

class LiveSource : public EventSource {
 public:
  // From any thread: run() returns soon, and the program continues.
  virtual void stop() = 0;
  // From any thread: applies to every later call of that process, or with 0 of all.
  virtual void set_flags(std::uint32_t pid, MeterFlags flags) = 0;

  // From any thread, while run() is at work: its state so far.
  struct SoFar {
    MeterSummary summary;
    std::vector<std::uint32_t> processes;  // that are alive
    LossReport losses;                     // `seen` counts only what was lost
  };
  virtual SoFar so_far() = 0;
  virtual const MeterSummary& summary() const = 0;  // after run()
};

}  // namespace dpm
