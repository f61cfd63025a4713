// P and V of a process.
#pragma once

#include <cstdint>
#include <string_view>

#include "backends/sim/call_frame.hpp"
#include "backends/sim/semaphores.hpp"

namespace dpm::sim {

class SemaphoreCalls {
 public:
  SemaphoreCalls(Simulation& simulation, Process& process, CallFrame& frame)
      : simulation_(simulation), process_(process), frame_(frame) {}

  void give(std::string_view name);
  void take(std::string_view name);

 private:
  Semaphore& used(std::string_view name);
  void record(EventType type, Semaphore& semaphore, std::uint64_t unit);
  void arrive(Semaphore& semaphore, std::uint64_t unit);

  Simulation& simulation_;
  Process& process_;
  CallFrame& frame_;
};

}  // namespace dpm::sim
