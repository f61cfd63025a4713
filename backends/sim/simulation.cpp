#include "backends/sim/simulation.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <unordered_map>

#include "backends/sim/process_calls.hpp"
#include "model/check.hpp"

#ifdef DPM_COVERAGE
extern "C" void __gcov_dump(void);
#endif

namespace dpm::sim {

Simulation::Simulation(const Scenario& scenario, int output_fd, const std::string& log_path,
                       std::atomic<std::uint32_t>& running)
    : scenario_(scenario),
      names_(initial_trace_info(scenario)),
      output_(output_fd, names_),
      engine_({[this] { delivery_.on_alarm(); }, [this] { end_at_standstill(); }}, scenario.processes.size(), log_path),
      population_(*this),
      delivery_(*this),
      timers_(*this),
      meter_(scenario.meter, engine_, names_,
             [this](Machine& from, std::uint16_t filter, std::vector<Event>& events) {
               delivery_.send_meter_message(from, filter, events);
             }),
      scheduler_(*this, running),
      semaphores_(scenario),
      faults_(*this) {}

void Simulation::run() {
  population_.populate();
  for (std::size_t i = 0; i < scenario_.processes.size(); ++i)
    if (!scenario_.processes[i].created_later) scheduler_.start(*population_.application()[i], nullptr);
  faults_.schedule();
  if (scenario_.time_limit.ns > 0)
    delivery_.at({scenario_.time_limit.ns},
                 [this] { end_at_limit(fmt::format("the time limit of {:g} s", scenario_.time_limit.seconds())); });
  const bool goes_on = scenario_.services_finish || scenario_.time_limit.ns > 0 || scenario_.message_limit > 0;
  if (population_.not_ended() == 0 && !goes_on) end_as(kEveryProcessEnded);
  engine_.run();
  fail("the simulation stopped without an end");
}

// ---- the end

void Simulation::fail(const std::string& what) { end({"an error"}, what); }

void Simulation::end_as(const std::string& by) { end({by}, ""); }

void Simulation::end_at_limit(const std::string& limit) { end({.by = limit, .at_limit = true}, ""); }

void Simulation::end_at_standstill() {
  if (population_.not_ended() == 0) end_as(kEveryProcessEnded);
  end({.by = "deadlock", .deadlocked = true}, "");
}

void Simulation::end(const Ending& ending, const std::string& error) {
  RunEnd last;
  last.truth = books_.truth(ending, population_, now());
  last.error = error;
  if (error.empty() && !ending.deadlocked && population_.not_ended() == 0) shut_down_services();
  for (Machine& machine : population_.machines()) meter_.flush(machine);
  delivery_.deliver_remaining_meter_messages();
  tell_wait_causes();
  last.losses = {meter_.seen(), meter_.losses(), books_.warnings()};
  DPM_CHECK(last.losses.seen == output_.delivered_events() + last.losses.lost());
  output_.end(last);
#ifdef DPM_COVERAGE
  __gcov_dump();
#endif
  std::fflush(nullptr);  // what programs have printed
  ::_exit(0);
}

// Only processes that the trace names: others would grow its tables.
void Simulation::tell_wait_causes() {
  std::unordered_map<std::uint32_t, const Process*> by_rank;
  for (const Process& process : population_.processes()) by_rank[process.rank] = &process;
  const auto tell = [this](const Process& waiter, const Process& rival, double waited_ns) {
    if (waiter.id.is_none()) return;
    names_.add({waiter.id, WaitReason::cpu, rival.id, rival.id.is_none() ? rival.name : "",
                static_cast<std::uint64_t>(std::llround(waited_ns))});
  };
  for (Machine& machine : population_.machines()) {
    for (const CpuRivals::Pair& pair : machine.rivals.pairs(now())) {
      tell(*by_rank.at(pair.first), *by_rank.at(pair.second), pair.waited_ns);
      tell(*by_rank.at(pair.second), *by_rank.at(pair.first), pair.waited_ns);
    }
  }
}

// Services end with the run: their DESTROYPROCESS carries the CPU time after their last message, so that a trace holds
// all of it.
void Simulation::shut_down_services() {
  for (Process* process : population_.application()) {
    if (process->is_gone() || process->life == Life::created || !process->flags.has(EventType::destroy_process))
      continue;
    Event event;
    event.type = EventType::destroy_process;
    meter_.record(*process, event);
  }
}

}  // namespace dpm::sim
