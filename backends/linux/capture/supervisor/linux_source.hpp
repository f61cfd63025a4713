// Live Linux programs as a source of events: supervises every process that carries the program's filter, from the first
// notified call until the last of them has ended.
//
// The supervisor changes nothing but the time calls take: each notified call is looked at while it waits, and then
// carried out by the kernel as it was made. What it knows it learns from the waiting call's arguments, from short looks
// at the descriptor, and from what the kernel announces about processes; docs/metering.md tells how, and what it cannot
// see.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "backends/linux/capture/program/metered_program.hpp"
#include "model/event_source.hpp"
#include "model/meter_flags.hpp"
#include "model/trace_growth.hpp"

namespace dpm {

struct MeterOptions {
  MeterFlags flags = MeterFlags::all();
  // Records waiting for a slow sink, at most: then calls are held up to `patience`, and after that pass unrecorded and
  // counted.
  std::size_t waiting_records_max = 1 << 20;
  Duration patience = Duration::from_seconds(1);
  GrowthSink* names_to = nullptr;  // instead of the tables of the TraceInfo (model/trace_growth.hpp)
  bool callers = false;            // pc is where the program's own code made the call, for some microseconds more each
  bool whole_cpu_time = false;     // do not take off what notification costs the program
  std::string machine;             // its name in the trace; empty: the host's
  bool sync_wake_up = true;        // off: as on a kernel that does not have it (for measurements)
  bool cpu_counters = true;        // off: as for an account that may not open them (for tests)
};

// What the meter itself did, for the summary at the end.
struct MeterSummary {
  std::uint64_t notified_calls = 0;     // all that waited for us
  std::uint64_t recorded_calls = 0;     // those that moved, or asked for, messages, or waited for a child
  std::uint64_t held_calls = 0;         // that waited with us until their data was there, or their child had ended
  std::uint64_t unrecorded_events = 0;  // dropped under overload
  std::uint64_t call_cost_ns = 0;       // CPU time that one notification costs the program, measured and taken off
  std::size_t processes = 0, threads = 0;
};

class LinuxSource : public EventSource {
 public:
  // `on_ready` is called once the sink has begun and calls are being served: a launched program may begin then.
  LinuxSource(MeteredProgram program, MeterOptions options, std::function<void()> on_ready = {});
  ~LinuxSource() override;

  Result<void> run(EventSink& sink) override;

  // From any thread: run() lets every waiting call go on and returns; from then on the program's
  // keeper answers its calls.
  void stop();
  // From any thread: counts for every call from now on of that process, or with 0 of all.
  void set_flags(std::uint32_t pid, MeterFlags flags);

  // From any thread, while run() is at work: its state so far.
  struct SoFar {
    MeterSummary summary;
    std::vector<std::uint32_t> processes;  // that live
    LossReport losses;                     // `seen` counts only what was lost
  };
  SoFar so_far();
  const MeterSummary& summary() const;    // after run()
  const MeteredProgram& program() const;  // what it was given

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dpm
