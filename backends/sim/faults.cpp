#include "backends/sim/faults.hpp"

#include <fmt/format.h>

#include "backends/sim/simulation.hpp"

namespace dpm::sim {

void Faults::schedule() {
  for (const auto& fault : simulation_.scenario().faults)
    simulation_.delivery().at({fault.at.ns}, [this, &fault] { apply(fault); });
}

void Faults::apply(const Fault& fault) {
  Population& population = simulation_.population();
  Network& network = simulation_.delivery().network();
  Machine& machine = *population.find_machine(fault.machine);
  switch (fault.kind) {
    case FaultKind::machine_off:
      turn_off(machine);
      break;
    case FaultKind::machine_on:
      turn_on(machine);
      break;
    case FaultKind::link_down:
      network.set_link(machine, *population.find_machine(fault.other_machine), false);
      break;
    case FaultKind::link_up:
      network.set_link(machine, *population.find_machine(fault.other_machine), true);
      break;
  }
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
      if (process.machine == &machine && process.service == service)
        simulation_.scheduler().destroy(process, Life::lost);
  simulation_.check_that_something_can_happen();
}

// System processes come back with their machine, as new ones that know nothing. Other processes do not.
void Faults::turn_on(Machine& machine) {
  if (machine.on) return;
  machine.on = true;
  for (Process& process : simulation_.population().processes())
    if (process.system && process.machine == &machine) simulation_.population().renew(process);
}

}  // namespace dpm::sim
