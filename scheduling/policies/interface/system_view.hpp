// What a policy may know of the system, and what it may ask for.
#pragma once

#include <vector>

#include "model/trace_info.hpp"
#include "scheduling/window/sliding_window.hpp"

namespace dpm {

struct ProcessMove {
  ProcessId process;
  MachineId from, to;

  friend bool operator==(const ProcessMove&, const ProcessMove&) = default;
};

// What a policy may know. `machines` are as they are now: their speeds, and `accepts` is false of one that is off.
struct SystemView {
  const SlidingWindow& window;
  std::vector<MachineInfo> machines;
  std::vector<MachineId> machine_of;  // by process
  std::vector<bool> may_move;         // by process
  // By process: false where it is now by the kernel's choice, and may be elsewhere soon. Empty: every process stays.
  std::vector<bool> stays = {};
  // Where all processes were at some moments lately, while the kernel places some of them: by moment, by process.
  std::vector<std::vector<MachineId>> moments = {};
  // By process: how long it has run. Empty: not known.
  std::vector<Duration> ages = {};

  std::vector<MachineId> usable_machines() const;
};

}  // namespace dpm
