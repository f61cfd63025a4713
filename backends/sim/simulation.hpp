// One simulation of a scenario. It exists once, in the child that SimSource forks, and ends with that child: by
// _exit(), on whatever stack the end happens, because nothing needs to be unwound in a process that goes away.
//
//   ProcessCalls (a program's calls) ──┐     ┌─ Population   machines, processes, channels
//   system programs (manager, kernels) ┼──►──┼─ Scheduler    which processes run, sleep, end
//   faults and limits ─────────────────┘     ├─ Delivery     messages under way, and what else happens at a time
//                                            ├─ Timers       which processes go on at a time
//                                            ├─ Meter        events on their way to the output
//                                            └─ Books        what was counted, for the truth
#pragma once

#include <atomic>
#include <string>

#include "backends/sim/books.hpp"
#include "backends/sim/delivery.hpp"
#include "backends/sim/engine.hpp"
#include "backends/sim/faults.hpp"
#include "backends/sim/meter.hpp"
#include "backends/sim/names.hpp"
#include "backends/sim/output.hpp"
#include "backends/sim/population.hpp"
#include "backends/sim/scheduler.hpp"
#include "backends/sim/semaphores.hpp"
#include "backends/sim/timers.hpp"

namespace dpm::sim {

class Simulation {
 public:
  ~Simulation() = delete;  // it ends with the operating system process

  // `running` tells the parent which process (by rank) had the CPU if the child crashes.
  Simulation(const Scenario& scenario, int output_fd, const std::string& log_path, std::atomic<std::uint32_t>& running);

  // Simulates, writes everything to `output_fd`, and ends the operating system process.
  [[noreturn]] void run();

  const Scenario& scenario() const { return scenario_; }
  TrueTime now() const { return engine_.now(); }
  Engine& engine() { return engine_; }
  Names& names() { return names_; }
  Output& output() { return output_; }
  Meter& meter() { return meter_; }
  Books& books() { return books_; }
  Population& population() { return population_; }
  Scheduler& scheduler() { return scheduler_; }
  Delivery& delivery() { return delivery_; }
  Timers& timers() { return timers_; }
  Semaphores& semaphores() { return semaphores_; }
  const Faults& faults() const { return faults_; }

  // Each of these ends the run.
  [[noreturn]] void fail(const std::string& what);
  [[noreturn]] void end_as(const std::string& by);
  [[noreturn]] void end_at_limit(const std::string& limit);
  // Returns if a process can go on, or something is under way that could change that. Of faults, only a
  // restart can.
  void check_that_something_can_happen() {
    if (!scheduler_.any_can_run() && !delivery_.anything_under_way() && !timers_.any_is_set() &&
        !faults_.any_will_restart())
      end_at_standstill();
  }

 private:
  [[noreturn]] void end_at_standstill();
  [[noreturn]] void end(const Ending& ending, const std::string& error);
  void shut_down_services();
  void tell_wait_causes();

  const Scenario& scenario_;
  Names names_;
  Output output_;
  Engine engine_;
  Books books_;
  Population population_;
  Delivery delivery_;
  Timers timers_;
  Meter meter_;
  Scheduler scheduler_;
  Semaphores semaphores_;
  Faults faults_;
};

}  // namespace dpm::sim
