// Which processes run: each has a stack of its own (Actor), and goes on, waits, is stopped, moves and ends here.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "backends/sim/process.hpp"
#include "model/misuse.hpp"

namespace dpm::sim {

class Simulation;

// Ends a process from inside: STOPTASK, or a process that is gone but caught what should have ended it.
struct StopTask {};

class Scheduler {
 public:
  Scheduler(Simulation& simulation, std::atomic<std::uint32_t>& running) : simulation_(simulation), running_(running) {}

  void start(Process& process, Process* requester);
  void stop(Process& process, std::uint8_t reason);
  void unstop(Process& process, std::uint8_t reason);
  void destroy(Process& process, Life how);
  void move(Process& process, Machine& to);
  // Marks the end of a process by its own will; the caller leaves its program by throwing StopTask.
  void end_task(Process& process) { end_of_life(process, Life::ended); }

  // Suspends the calling process until something makes it go on.
  void sleep(Process& process);
  // Ends what the process waits for.
  void wake(Process& process);
  // The process has the CPU again.
  void runs(const Process& process) { running_.store(process.rank, std::memory_order_relaxed); }
  // Whether it counts in the load of its machine.
  void set_runnable(Process& process, bool runnable);
  bool any_can_run() const { return runnable_ > 0; }

 private:
  void body_of(Process& process);
  void end_of_life(Process& process, Life how);
  void resume(Process& process);

  Simulation& simulation_;
  std::atomic<std::uint32_t>& running_;
  std::uint32_t runnable_ = 0;  // on all machines
};

}  // namespace dpm::sim
