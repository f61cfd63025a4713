// A machine: how fast it is, what its clock says, what runs on it, and its meter buffers.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "backends/sim/cpu_rivals.hpp"
#include "backends/sim/true_time.hpp"
#include "model/event.hpp"
#include "model/scenario.hpp"

namespace dpm::sim {

struct Process;

// The meter path from a machine to a filter: events wait here until they fill a meter message. Meter messages of one
// path never overtake each other.
struct MeterPath {
  std::vector<Event> buffer;
  TrueTime last_arrival;
};

struct Machine {
  std::string name;
  MachineId id;
  std::uint32_t host = 0;  // its number in the engine
  double speed = 1;
  ClockDescription clock;
  bool on = true;
  std::uint32_t runnable = 0;  // processes that compute or could
  CpuRivals rivals;
  Process* kernel = nullptr;
  std::int64_t used_ns = 0;            // CPU time of the scenario's processes, in executions that have ended
  std::vector<MeterPath> meter_paths;  // by filter

  // The time that this CPU needs for what takes `work` on a machine of speed 1. Whole nanoseconds add up exactly.
  std::int64_t cpu_ns(Duration work) const {
    return speed == 1 ? work.ns : std::llround(static_cast<double>(work.ns) / speed);
  }

  LocalTime local_time(TrueTime now) const {
    const auto drifted =
        static_cast<std::int64_t>(std::floor(static_cast<long double>(now.ns) * clock.drift_ppm * 1e-6L));
    const std::int64_t exact = clock.offset.ns + now.ns + drifted;
    const std::int64_t tick = clock.tick.ns > 0 ? clock.tick.ns : 1;
    std::int64_t ticks = exact / tick;
    if (exact % tick < 0) --ticks;  // floor, also before the clock's beginning
    return {ticks * tick};
  }

  std::uint16_t load() const { return static_cast<std::uint16_t>(runnable < 0xffff ? runnable : 0xffff); }
};

}  // namespace dpm::sim
