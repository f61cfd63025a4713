// What the machines did for others while the computation ran (thesis 5.2.3): "The load on a machine caused by other
// computations could cause less accurate results when trying to determine the execution speed of our computation. This
// effect [...] can be added to the trace parallelism analysis by including machine load information in the trace message
// header for each meter trace. As the load on each machine changes over time, this effect can be factored into the
// analysis."
//
// The header's load average counts every process that runs or is ready, the computation's too. So at each event
//
//     others = load - the process itself - the share of other processes of the computation that were runnable then
//
// A process is runnable between two of its events for as long as it used the CPU and waited for it. Where the trace lacks
// the latter, it is runnable except while it waits for a message or for another's end. The mean of the others, by the time that
// the computation's processes were runnable, becomes one step of OtherLoad in each of kWindows parts of the run.
//
// Where the trace knows which programs had the CPU while its processes waited (TraceInfo::wait_causes), those sums are
// used instead: a live meter reads the load average once in a millisecond, and beside the call.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/history/history.hpp"
#include "analysis/history/other_load.hpp"
#include "analysis/history/replay.hpp"
#include "model/divided_sink.hpp"

namespace dpm {

enum class LoadEvidence : std::uint8_t {
  none,           // the headers have no load average
  load_average,   // of the headers
  run_queue_wait  // who had the CPU while the processes waited for it
};
std::string_view name_of(LoadEvidence evidence);  // "none", "load average", "run-queue wait"

struct MachineLoad {
  MachineId machine;
  std::string name;  // of the machine
  LoadEvidence evidence = LoadEvidence::none;
  double cpu_s = 0;               // of the computation
  double others = 0;              // mean number of other processes that ran or were ready, while the computation was
  double ready_s = 0;             // run-queue wait of the computation, where the trace has it
  double ready_for_others_s = 0;  // the part in which another program had the CPU
  LocalTime first;                // when `over_time` begins
  OtherLoad over_time;            // by the machine's clock, since `first`; no steps: nothing else was seen
};

// Gathers from the events in bounded memory: from long runs it keeps every second, fourth, ... stretch of kStretchNs.
class OtherLoadBuilder : public DividedSink {
 public:
  static constexpr std::size_t kMostEntries = std::size_t{1} << 21;
  static constexpr std::int64_t kStretchNs = 10'000'000;
  static constexpr std::size_t kWindows = 256;

  explicit OtherLoadBuilder(Computation computation = {}, std::size_t most_entries = kMostEntries)
      : computation_(std::move(computation)), most_entries_(most_entries) {}

  void on_begin(const TraceInfo& info) override { info_ = &info; }
  void on_events(std::span<const Event> batch) override;
  void on_end(const LossReport& losses) override;
  void give(ByteWriter& out) override;
  void take(ByteReader& in) override;

  // After on_end(): the machines that processes of the computation were on.
  const std::vector<MachineLoad>& machines() const { return machines_; }

 private:
  // What a process did between two of its events, and the load average at the second.
  struct Entry {
    std::int64_t from_ns = 0, to_ns = 0;  // by the machine's clock
    std::uint32_t process = 0;
    std::uint32_t runnable = 0;  // of kWhole: for which part of the time
    std::uint16_t machine = 0;
    std::uint16_t load = 0;
    std::uint32_t is_sample = 0;  // 1: the process itself was at work at `to_ns`
  };
  struct Process {
    bool known = false, included = false, waits = false, seen = false;
    std::uint16_t machine = 0;
    std::int64_t last_ns = 0;
    std::uint64_t cpu_ns = 0, ready_ns = 0;
    bool has_ready = false;
  };
  struct Totals {
    std::uint64_t cpu_ns = 0, ready_ns = 0;
    bool has_ready = false;
  };
  static constexpr std::uint32_t kWhole = 1u << 16;

  bool is_of_computation(ProcessId id);
  void add(const Event& event);
  bool is_kept(const Entry& entry) const;
  void make_room();
  MachineLoad measure(std::uint16_t machine, std::vector<Entry> entries) const;
  void add_run_queue_waits();

  Computation computation_;
  std::size_t most_entries_;
  const TraceInfo* info_ = nullptr;
  std::vector<Process> processes_;
  std::map<std::uint16_t, Totals> totals_;
  std::vector<Entry> entries_;
  std::uint32_t thinning_ = 0;  // one of 2^this stretches is kept
  bool any_load_ = false;
  std::vector<MachineLoad> machines_;
};

// By machine of the target (machines with one name are one), in the time of a replay whose schedule without other load is
// `schedule`.
std::vector<OtherLoad> in_replay_time(const std::vector<MachineLoad>& loads, const History& history,
                                      const Schedule& schedule, const std::vector<MachineInfo>& machines);

}  // namespace dpm
