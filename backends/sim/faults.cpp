#include "backends/sim/faults.hpp"

#include <fmt/format.h>

#include "backends/sim/simulation.hpp"

namespace dpm::sim {

void Faults::schedule() {
  const auto& faults = simulation_.scenario().faults;
  is_over_.assign(faults.size(), false);
  for (std::size_t i = 0; i < faults.size(); ++i)
    simulation_.delivery().at({faults[i].at.ns}, [this, &fault = faults[i], i] {
      is_over_[i] = true;
      apply(fault);
    });
}

bool Faults::will_restart(const Process& process, Life how) const {
  const auto& faults = simulation_.scenario().faults;
  for (std::size_t i = 0; i < is_over_.size(); ++i) {
    if (is_over_[i]) continue;
    const Fault& fault = faults[i];
    if (how == Life::lost && fault.restart && fault.machine == process.machine->name) return true;
    if (how == Life::off && fault.kind == FaultKind::process_on && fault.process == process.name) return true;
  }
  return false;
}

void Faults::apply(const Fault& fault) {
  Population& population = simulation_.population();
  Network& network = simulation_.delivery().network();
  if (fault.kind == FaultKind::process_off) return turn_off(*population.find_process(fault.process));
  if (fault.kind == FaultKind::process_on) {
    Process& process = *population.find_process(fault.process);
    if (process.life == Life::off && !process.machine->on)
      simulation_.fail(
          fmt::format("process '{}' cannot begin again: machine '{}' is off", process.name, process.machine->name));
    if (process.life == Life::off) restart(process);
    return;
  }
  Machine& machine = *population.find_machine(fault.machine);
  switch (fault.kind) {
    case FaultKind::machine_off:
      turn_off(machine);
      break;
    case FaultKind::machine_on:
      turn_on(machine, fault.restart);
      break;
    case FaultKind::link_down:
      network.set_link(machine, *population.find_machine(fault.other_machine), false);
      break;
    case FaultKind::link_up:
      network.set_link(machine, *population.find_machine(fault.other_machine), true);
      break;
    case FaultKind::machine_speed:
      set_speed(machine, fault.speed);
      break;
    case FaultKind::process_off:
    case FaultKind::process_on:
      break;
  }
}

// What is being computed goes on at the new speed.
void Faults::set_speed(Machine& machine, double speed) {
  machine.speed = speed;
  for (Process& process : simulation_.population().processes())
    if (process.machine == &machine && process.computing_ns != 0) process.actor->interrupt();
}

void Faults::turn_off(Machine& machine) {
  if (!machine.on) return;
  machine.on = false;
  Meter& meter = simulation_.meter();
  meter.lose_buffers(machine, fmt::format("machine '{}' failed with events in its meter buffers", machine.name));
  for (const Process* filter : simulation_.population().filters()) {
    if (filter->machine != &machine) continue;
    for (const Packet* packet : filter->queue.waiting)
      meter.lose(fmt::format("machine '{}' failed with meter messages its filter had not received", machine.name),
                 packet->meter_events.size());
  }
  // Services first: the end of the last other process may end the run.
  for (const bool service : {true, false})
    for (Process& process : simulation_.population().processes())
      if (process.machine == &machine && process.service == service && !process.is_gone()) {
        away_ += will_restart(process, Life::lost) ? 1 : 0;
        simulation_.scheduler().destroy(process, Life::lost);
      }
  simulation_.check_that_something_can_happen();
}

// Its last events are known: only the machine's failure loses a meter buffer.
void Faults::turn_off(Process& process) {
  if (process.is_gone()) return;
  if (process.flags.has(EventType::destroy_process)) {
    constexpr std::uint32_t kDestroyed = 1;  // its exit code: anything but 0
    Event event;
    event.type = EventType::destroy_process;
    event.code = kDestroyed;
    simulation_.meter().record(process, event);
  }
  simulation_.meter().flush(process);
  away_ += will_restart(process, Life::off) ? 1 : 0;
  simulation_.scheduler().destroy(process, Life::off);
}

void Faults::restart(Process& process) {
  --away_;
  simulation_.population().renew(process);
  simulation_.scheduler().start(process, nullptr);
}

// System processes come back with their machine, as new ones that know nothing. Other processes begin again if they are to
// be restarted.
void Faults::turn_on(Machine& machine, bool restart_processes) {
  if (machine.on) return;
  machine.on = true;
  for (Process& process : simulation_.population().processes())
    if (process.system && process.machine == &machine) simulation_.population().renew(process);
  for (Process* process : simulation_.population().application())
    if (restart_processes && process->life == Life::lost && process->machine == &machine) restart(*process);
}

}  // namespace dpm::sim
