#include "backends/sim/delivery.hpp"

#include <fmt/format.h>

#include <limits>

#include "backends/sim/simulation.hpp"

namespace dpm::sim {
namespace {

std::string over_link_down(const Machine& from, const Machine& to) {
  return fmt::format("over the link between '{}' and '{}', which was down", from.name, to.name);
}

std::string to_gone(const Process& process) { return fmt::format("to process '{}', which was gone", process.name); }

}  // namespace

Delivery::Delivery(Simulation& simulation)
    : simulation_(simulation), calendar_(simulation.engine()), network_(simulation.scenario()) {}

void Delivery::at(TrueTime when, std::function<void()> action) { insert(when, 0, std::move(action)); }

void Delivery::after_messages_at(TrueTime when, std::function<void()> action) {
  insert(when, std::numeric_limits<std::uint32_t>::max(), std::move(action));
}

void Delivery::insert(TrueTime when, std::uint32_t rank, std::function<void()> action) {
  Packet& packet = packets_.take();
  packet.action = std::move(action);
  calendar_.insert(when, rank, packet);
}

void Delivery::end_if_none_may_be_sent() {
  const std::uint64_t limit = simulation_.scenario().message_limit;
  if (limit != 0 && simulation_.books().messages_sent() >= limit)
    simulation_.end_at_limit(fmt::format("the message limit of {} messages", limit));
}

void Delivery::send(Packet& packet) {
  const TrueTime now = simulation_.now();
  Process& from = *packet.from;
  from.last_activity = now;
  simulation_.books().sent();
  if (network_.is_down(*from.machine, *packet.to->machine))
    return drop(packet, over_link_down(*from.machine, *packet.to->machine));
  TrueTime earliest = now + DelayModel::delivery(*packet.delays, packet.length_bytes);
  if (const LinkDescription* link = network_.link_between(*from.machine, *packet.to->machine)) {
    // Each pair of processes draws its own, whatever others send and wherever they are.
    const auto [entry, is_new] = way_draws_.try_emplace({&from, packet.to}, 0);
    if (is_new) entry->second = Random::stream(simulation_.scenario().seed, from.name + " to " + packet.to->name);
    Random& draws = entry->second;
    earliest =
        earliest + (network_.leaves_at(*from.machine, *packet.to->machine, *link, now, packet.length_bytes) - now);
    if (link->extra_delay) earliest = earliest + link->extra_delay(draws);
    const bool may_be_lost = !from.system && !packet.to->system && !packet.on_arrival;
    if (link->loss > 0 && draws.chance(link->loss) && may_be_lost)
      return drop(packet, fmt::format("over the link between '{}' and '{}', which loses some", from.machine->name,
                                      packet.to->machine->name));
  }
  TrueTime& last = from.last_arrival_at[packet.to];
  last = std::max(last, earliest);
  ++pending_packets_;
  calendar_.insert(last, from.rank, packet);
}

void Delivery::under_way_until(TrueTime when, std::uint32_t rank, std::function<void()> action) {
  ++pending_packets_;
  insert(when, rank, [this, action = std::move(action)] {
    --pending_packets_;
    action();
  });
}

void Delivery::on_alarm() {
  while (const Packet* next = calendar_.due(simulation_.now())) {
    if (next->action) {
      Packet* packet = calendar_.take_due(simulation_.now());
      const auto action = std::move(packet->action);
      packets_.give_back(*packet);
      action();
    } else {
      deliver_due();
    }
  }
  calendar_.arm();
  simulation_.check_that_something_can_happen();
}

// Runs on the stack of a process, too, so it leaves what could kill that process to the alarm.
void Delivery::deliver_due() {
  const TrueTime now = simulation_.now();
  for (const Packet* next = calendar_.due(now); next != nullptr && !next->action; next = calendar_.due(now)) {
    Packet* packet = calendar_.take_due(now);
    --pending_packets_;
    deliver(*packet);
  }
}

void Delivery::deliver(Packet& packet) {
  Process& to = *packet.to;
  if (to.is_gone()) return drop(packet, to_gone(to));
  if (packet.on_arrival) {
    packet.on_arrival(packet);
    packets_.give_back(packet);
    return;
  }
  if (packet.answers_call != 0 && !to.awaits_reply_to(packet.answers_call))
    return drop(packet, fmt::format("to process '{}' as a reply it no longer waited for", to.name));

  Scheduler& scheduler = simulation_.scheduler();
  if (to.system && !to.actor) scheduler.start(to, nullptr);
  simulation_.books().delivered();
  to.queue.arrived(simulation_.now());
  if (to.flags.has(EventType::message_queued))
    simulation_.meter().record(to, simulation_.names().event_of(EventType::message_queued, packet));
  if (packet.answers_call != 0) {
    to.replies.push_back(&packet);
    if (to.waiting == Waiting::for_reply) scheduler.wake(to);
  } else {
    to.queue.waiting.push_back(&packet);
    if (to.waiting == Waiting::for_message && to.wants(packet)) scheduler.wake(to);
  }
}

void Delivery::drop(Packet& packet, const std::string& how) {
  if (packet.meter_events.empty()) {
    simulation_.books().dropped(how);
  } else {
    simulation_.meter().lose("meter messages were lost in transit " + how, packet.meter_events.size());
  }
  packets_.give_back(packet);
}

// ---- meter messages

void Delivery::send_meter_message(Machine& from, std::uint16_t filter, std::vector<Event>& events) {
  const MeterDescription& meter = simulation_.scenario().meter;
  Process& to = *simulation_.population().filters()[filter];
  Packet& packet = packets_.take();
  packet.to = &to;
  packet.meter_events.swap(events);
  packet.length_bytes = static_cast<std::uint32_t>(packet.meter_events.size()) * meter.bytes_per_event;
  if (!to.machine->on)
    return drop(packet,
                fmt::format("to filter '{}', whose machine was off", simulation_.names().info().filters[filter]));
  if (network_.is_down(from, *to.machine)) return drop(packet, over_link_down(from, *to.machine));
  if (!meter.delayed_delivery) {
    simulation_.output().append(packet.meter_events);
    events.swap(packet.meter_events);  // the buffer keeps its memory
    events.clear();
    packets_.give_back(packet);
    return;
  }
  MeterPath& path = from.meter_paths[filter];
  const DelayClass& delays = network_.between(from, *to.machine);
  path.last_arrival =
      std::max(path.last_arrival, simulation_.now() + DelayModel::delivery(delays, packet.length_bytes));
  ++pending_packets_;
  calendar_.insert(path.last_arrival, to.rank, packet);
}

void Delivery::deliver_remaining_meter_messages() {
  Output& output = simulation_.output();
  for (const Process* filter : simulation_.population().filters()) {
    if (filter->is_gone()) continue;
    for (const Packet* packet : filter->queue.waiting) output.append(packet->meter_events);
  }
  while (Packet* packet = calendar_.take_next()) {
    if (packet->meter_events.empty()) continue;
    if (packet->to->is_gone())
      drop(*packet, to_gone(*packet->to));
    else
      output.append(packet->meter_events);
  }
}

}  // namespace dpm::sim
