#include "backends/sim/scheduler.hpp"

#include <fmt/format.h>

#include "backends/sim/process_calls.hpp"
#include "model/check.hpp"

namespace dpm::sim {

void Scheduler::start(Process& process, Process* requester) {
  DPM_CHECK(!process.actor && process.life == Life::created);
  const TrueTime now = simulation_.now();
  process.life = Life::alive;
  process.started = process.last_activity = now;
  process.queue.advance(now);
  process.started_by = requester;
  if (process.stopped == 0) set_runnable(process, true);
  process.actor = simulation_.engine().create_actor();
  process.actor->start(
      process.name, process.machine->host, [this, &process] { body_of(process); },
      [this, &process] {
        simulation_.fail(
            fmt::format("process '{}' ended with an exception that is not a std::exception", process.name));
      });
}

void Scheduler::body_of(Process& process) {
  if (process.is_gone()) return;  // destroyed before its first instruction
  runs(process);
  try {
    try {
      process.calls->begin();
      process.program(*process.calls);
      process.calls->stop_task();
    } catch (const StopTask&) {
    }
  } catch (const Misuse& misuse) {
    simulation_.fail(misuse.what);
  } catch (const std::exception& exception) {
    simulation_.fail(fmt::format("process '{}' ended with an exception: {}", process.name, exception.what()));
  }
}

void Scheduler::end_of_life(Process& process, Life how) {
  const TrueTime now = simulation_.now();
  if (process.waiting == Waiting::for_nothing) process.last_activity = now;
  if (!process.system) process.machine->used_ns += process.cpu_ns_now() - process.cpu_ns;
  process.cpu_ns = process.cpu_ns_now();
  process.computing_ns = 0;
  process.life = how;
  simulation_.timers().clear(process);
  process.ended = now;
  process.queue.advance(now);
  set_runnable(process, false);
  Population& population = simulation_.population();
  if (!simulation_.faults().will_restart(process, how)) population.has_ended(process);
  if (!process.service && population.not_ended() == 0 && !simulation_.scenario().services_finish)
    simulation_.end_as(kEveryProcessEnded);
  if (how != Life::lost && how != Life::off) simulation_.check_that_something_can_happen();
}

void Scheduler::stop(Process& process, std::uint8_t reason) {
  process.stopped |= reason;
  set_runnable(process, false);
  if (process.actor) process.actor->interrupt();
}

void Scheduler::unstop(Process& process, std::uint8_t reason) {
  process.stopped = static_cast<std::uint8_t>(process.stopped & ~reason);
  if (process.stopped != 0 || process.life != Life::alive || process.waiting != Waiting::for_nothing) return;
  set_runnable(process, true);
  resume(process);
}

void Scheduler::destroy(Process& process, Life how) {
  if (process.is_gone()) return;
  end_of_life(process, how);
  if (process.actor) process.actor->kill();
}

void Scheduler::move(Process& process, Machine& to) {
  const bool runnable = process.runnable;
  set_runnable(process, false);
  process.machine = &to;
  set_runnable(process, runnable);
}

void Scheduler::set_runnable(Process& process, bool runnable) {
  if (process.runnable == runnable) return;
  process.runnable = runnable;
  const TrueTime now = simulation_.now();
  if (runnable) {
    process.runnable_since = now;
    process.machine->rivals.begins(process.rank, now);
  } else {
    process.runnable_ns += (now - process.runnable_since).ns;
    process.machine->rivals.ends(process.rank, now);
  }
  const std::uint32_t change = runnable ? 1 : -1u;
  process.machine->runnable += change;
  runnable_ += change;
}

void Scheduler::sleep(Process& process) {
  simulation_.check_that_something_can_happen();
  process.suspended = true;
  process.actor->suspend();
  runs(process);
  if (process.is_gone()) throw StopTask{};
}

void Scheduler::wake(Process& process) {
  if (process.is_gone()) return;
  simulation_.timers().clear(process);
  process.waiting = Waiting::for_nothing;
  if (process.stopped != 0) return;
  set_runnable(process, true);
  resume(process);
}

void Scheduler::resume(Process& process) {
  if (!process.suspended) return;
  process.suspended = false;
  process.actor->resume();
}

}  // namespace dpm::sim
