// How packets get from process to process: the part of Simulation that sends, delivers and drops.
#include "backends/sim/process_calls.hpp"
#include "backends/sim/simulation.hpp"
#include "model/check.hpp"

namespace dpm::sim {

void Simulation::at(TrueTime when, std::function<void()> action) {
  Packet& packet = packets_.take();
  packet.action = std::move(action);
  calendar_.insert(when, 0, packet);
}

void Simulation::send(Packet& packet) {
  Process& from = *packet.from;
  from.last_activity = now();
  ++messages_sent_;
  if (scenario_.message_limit != 0 && messages_sent_ > scenario_.message_limit)
    end({"the message limit of " + std::to_string(scenario_.message_limit) + " messages", "", false});
  if (network_.is_down(*from.machine, *packet.to->machine)) {
    drop(packet,
         "over the link between '" + from.machine->name + "' and '" + packet.to->machine->name + "', which was down");
    return;
  }
  const TrueTime earliest = now() + DelayModel::delivery(*packet.delays, packet.length_bytes);
  TrueTime& last = from.last_arrival_at[packet.to];
  last = std::max(last, earliest);
  ++pending_packets_;
  calendar_.insert(last, from.rank, packet);
}

void Simulation::on_alarm() {
  while (const Packet* next = calendar_.due(now())) {
    if (next->action) {
      Packet* packet = calendar_.take_due(now());
      const auto action = std::move(packet->action);
      packets_.give_back(*packet);
      action();
    } else {
      deliver_due();
    }
  }
  calendar_.arm();
}

// Runs on the stack of a process, too, so it leaves what could kill that process to the alarm.
void Simulation::deliver_due() {
  for (const Packet* next = calendar_.due(now()); next != nullptr && !next->action; next = calendar_.due(now())) {
    Packet* packet = calendar_.take_due(now());
    --pending_packets_;
    deliver(*packet);
  }
}

void Simulation::deliver(Packet& packet) {
  Process& to = *packet.to;
  if (to.is_gone()) return drop(packet, "to process '" + to.name + "', which was gone");
  if (packet.on_arrival) {
    packet.on_arrival(packet);
    packets_.give_back(packet);
    return;
  }
  if (packet.answers_call != 0 && packet.answers_call != to.awaited_call)
    return drop(packet, "to process '" + to.name + "' as a reply it no longer waited for");

  if (to.system && !to.actor) start(to, nullptr);
  ++messages_delivered_;
  to.queue.arrived(now());
  if (to.flags.has(EventType::message_queued)) meter_.record(to, names_.event_of(EventType::message_queued, packet));
  if (packet.answers_call != 0) {
    to.awaited_call = 0;
    to.reply = &packet;
    if (to.waiting == Waiting::for_reply) wake(to);
  } else {
    to.queue.waiting.push_back(&packet);
    if (to.waiting == Waiting::for_message && to.wants(packet)) wake(to);
  }
}

void Simulation::drop(Packet& packet, const std::string& why) {
  if (packet.meter_events.empty()) {
    ++messages_dropped_;
    warn("messages were dropped on their way " + why);
  } else {
    meter_.lose("meter messages were lost on their way " + why, packet.meter_events.size());
  }
  packets_.give_back(packet);
}

// ---- meter messages

void Simulation::send_meter_message(Machine& from, std::uint16_t filter, std::vector<Event>& events) {
  Process& to = *filters_[filter];
  Packet& packet = packets_.take();
  packet.to = &to;
  packet.meter_events.swap(events);
  packet.length_bytes = static_cast<std::uint32_t>(packet.meter_events.size()) * scenario_.meter.bytes_per_event;
  if (!to.machine->on) return drop(packet, "to filter '" + names_.info().filters[filter] + "', whose machine was off");
  if (network_.is_down(from, *to.machine))
    return drop(packet, "over the link between '" + from.name + "' and '" + to.machine->name + "', which was down");
  if (!scenario_.meter.delayed_delivery) {
    output_.append(packet.meter_events);
    events.swap(packet.meter_events);  // the buffer keeps its memory
    events.clear();
    packets_.give_back(packet);
    return;
  }
  MeterPath& path = from.meter_paths[filter];
  const DelayClass& delays = network_.between(from, *to.machine);
  path.last_arrival = std::max(path.last_arrival, now() + DelayModel::delivery(delays, packet.length_bytes));
  ++pending_packets_;
  calendar_.insert(path.last_arrival, to.rank, packet);
}

// ---- faults

void Simulation::apply(const Fault& fault) {
  Machine& machine = *find_machine(fault.machine);
  switch (fault.kind) {
    case FaultKind::machine_off:
      turn_off(machine);
      break;
    case FaultKind::machine_on:
      turn_on(machine);
      break;
    case FaultKind::link_down:
      network_.set_link(machine, *find_machine(fault.other_machine), false);
      break;
    case FaultKind::link_up:
      network_.set_link(machine, *find_machine(fault.other_machine), true);
      break;
  }
}

void Simulation::turn_off(Machine& machine) {
  if (!machine.on) return;
  machine.on = false;
  meter_.lose_buffers(machine, "machine '" + machine.name + "' failed with events in its meter buffers");
  for (Process* filter : filters_) {
    if (filter->machine != &machine) continue;
    for (Packet* packet : filter->queue.waiting)
      meter_.lose("machine '" + machine.name + "' failed with meter messages its filter had not received",
                  packet->meter_events.size());
  }
  // Services first: the end of the last other process may end the run.
  for (const bool service : {true, false})
    for (Process& process : processes_)
      if (process.machine == &machine && process.service == service) destroy(process, Life::lost);
  check_that_something_can_happen();
}

// System processes come back with their machine, as new ones that know nothing. Other processes do not.
void Simulation::turn_on(Machine& machine) {
  if (machine.on) return;
  machine.on = true;
  for (Process& process : processes_) {
    if (!process.system || process.machine != &machine) continue;
    if (process.actor) retired_actors_.push_back(std::move(process.actor));
    retired_calls_.push_back(std::move(process.calls));
    process.calls = std::make_unique<ProcessCalls>(*this, process);
    process.life = Life::created;
    process.suspended = false;
    process.waiting = Waiting::for_nothing;
    process.awaited_call = 0;
    process.reply = nullptr;
    process.queue.waiting.clear();
  }
}

}  // namespace dpm::sim
