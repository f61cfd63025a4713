#include "backends/sim/semaphore_calls.hpp"

#include <fmt/format.h>

#include "model/delay_model.hpp"

namespace dpm::sim {
namespace {

constexpr std::uint32_t kUnitBytes = 1;

}  // namespace

Semaphore& SemaphoreCalls::used(std::string_view name) {
  Semaphore* found = simulation_.semaphores().find(name);
  if (found == nullptr) frame_.misuse(fmt::format("the scenario has no semaphore '{}'", name));
  if (found->machine == nullptr) found->machine = process_.machine;
  if (found->machine != process_.machine)
    frame_.misuse(fmt::format("semaphore '{}' is in the memory of machine '{}': place its processes on one machine",
                              name, found->machine->name));
  return *found;
}

void SemaphoreCalls::record(EventType type, Semaphore& semaphore, std::uint64_t unit) {
  if (!process_.flags.has(type)) return;
  Names& names = simulation_.names();
  if (semaphore.channel.is_none()) {
    ChannelInfo described;
    described.name = "semaphore " + semaphore.name;
    described.kind = ChannelKind::stream;
    described.medium = ChannelMedium::memory;
    described.sender.address = described.receiver.address = semaphore.name;
    described.sender.machine = described.receiver.machine = semaphore.machine->id;
    semaphore.channel = names.add_channel(std::move(described));
    semaphore.set = names.set_of(semaphore.channel);
  }
  Event event;
  event.type = type;
  if (type == EventType::receive_call) {
    event.code = semaphore.set.value;
  } else {
    event.channel = semaphore.channel;
    event.sequence = unit;
    event.length_bytes = kUnitBytes;
  }
  frame_.record(event);
}

void SemaphoreCalls::give(std::string_view name) {
  Semaphore& semaphore = used(name);
  Delivery& delivery = simulation_.delivery();
  const DelayClass& delays = delivery.network().between(*process_.machine, *process_.machine);
  frame_.use_cpu(DelayModel::sender_cpu(delays, kUnitBytes));
  const std::uint64_t unit = semaphore.given++;
  record(EventType::send, semaphore, unit);
  ++process_.messages_sent;
  delivery.under_way_until(simulation_.now() + DelayModel::delivery(delays, kUnitBytes), process_.rank,
                           [this, &semaphore, unit] { arrive(semaphore, unit); });
  frame_.settle();
}

void SemaphoreCalls::arrive(Semaphore& semaphore, std::uint64_t unit) {
  auto& waiting = semaphore.waiting;
  while (!waiting.empty() && (waiting.front()->is_gone() || waiting.front()->awaited_semaphore != &semaphore))
    waiting.pop_front();
  if (waiting.empty()) return semaphore.units.push_back(unit);
  Process& first = *waiting.front();
  waiting.pop_front();
  first.awaited_semaphore = nullptr;
  first.unit = unit;
  simulation_.scheduler().wake(first);
}

void SemaphoreCalls::take(std::string_view name) {
  Semaphore& semaphore = used(name);
  if (semaphore.units_of_beginning > 0) {
    --semaphore.units_of_beginning;
    return;
  }
  record(EventType::receive_call, semaphore, 0);
  frame_.settle();
  if (semaphore.units.empty()) {
    semaphore.waiting.push_back(&process_);
    process_.awaited_semaphore = &semaphore;
    frame_.block(Waiting::for_unit);
  } else {
    process_.unit = semaphore.units.front();
    semaphore.units.pop_front();
  }
  const std::uint64_t unit = process_.unit;
  const DelayClass& delays = simulation_.delivery().network().between(*process_.machine, *process_.machine);
  frame_.use_cpu(DelayModel::receiver_cpu(delays, kUnitBytes));
  record(EventType::receive, semaphore, unit);
  process_.last_activity = simulation_.now();
  ++process_.messages_received;
  frame_.settle();
}

}  // namespace dpm::sim
