#include "backends/sim/process_calls.hpp"

#include "model/check.hpp"
#include "model/link_complaints.hpp"

// The address the call was made from, taken in the call itself.
#define DPM_ENTER(call) enter(call, __builtin_return_address(0))

namespace dpm::sim {

ProcessCalls::ProcessCalls(Simulation& simulation, Process& process)
    : simulation_(simulation), process_(process), random_(Random::stream(simulation.scenario().seed, process.name)) {}

// ---- the parts of every call

void ProcessCalls::begin() {
  wait_while_stopped();
  if (!process_.flags.has(EventType::start_process)) return;
  Event event;
  event.type = EventType::start_process;
  if (process_.started_by != nullptr) event.peer = simulation_.names().id_of(*process_.started_by);
  simulation_.meter().record(process_, event);
  settle();
}

void ProcessCalls::enter(const char* call, const void* return_address) {
  if (process_.is_gone()) throw StopTask{};
  call_ = call;
  return_address_ = return_address;
  wait_while_stopped();
  settle();
}

void ProcessCalls::settle() {
  if (process_.owed.ns == 0) return;
  const Duration owed = process_.owed;
  process_.owed = {};
  use_cpu(owed);
}

void ProcessCalls::use_cpu(Duration work) {
  const Machine* machine = process_.machine;
  std::int64_t left_ns = machine->cpu_ns(work);
  while (left_ns > 0) {
    wait_while_stopped();
    if (machine != process_.machine) {  // it has migrated: the same work takes another time here
      left_ns = std::llround(static_cast<double>(left_ns) * machine->speed / process_.machine->speed);
      machine = process_.machine;
      if (left_ns == 0) break;
    }
    process_.computing_ns = left_ns;
    const bool done = process_.actor->execute(machine->host, left_ns);
    if (process_.is_gone()) throw StopTask{};
    simulation_.runs(process_);
    const std::int64_t still_left_ns = done ? 0 : process_.actor->left_ns();
    process_.cpu_ns += left_ns - still_left_ns;
    process_.computing_ns = 0;
    process_.last_activity = simulation_.now();
    left_ns = still_left_ns;
  }
  wait_while_stopped();
}

void ProcessCalls::wait_while_stopped() {
  while (process_.stopped != 0) simulation_.sleep(process_);
}

void ProcessCalls::block(Waiting what_for) {
  process_.waiting = what_for;
  simulation_.set_runnable(process_, false);
  while (process_.waiting != Waiting::for_nothing || process_.stopped != 0) simulation_.sleep(process_);
}

void ProcessCalls::misuse(const std::string& what) const {
  throw Misuse{"process '" + process_.name + "' on machine '" + process_.machine->name + "', " + call_ + ": " + what};
}

const Link& ProcessCalls::link_at(LinkIndex index) const {
  const Link* link = process_.links.find(index);
  if (link == nullptr) misuse(complaints::no_link_at(index));
  return *link;
}

// ---- links

LinkIndex ProcessCalls::create_link(std::optional<DataArea> area) {
  DPM_ENTER("create_link");
  if (area) refuse_if(complaints::outside_address_space(*area, process_.address_space.size()));
  Channel& channel = simulation_.create_channel(process_);
  channel.area = area;
  record_path(EventType::create_path, channel);
  return channel.owners_index;
}

LinkIndex ProcessCalls::duplicate_link(LinkIndex index) {
  DPM_ENTER("duplicate_link");
  const Link link = link_at(index);
  if (link.is_for_one_reply()) misuse(complaints::kOneAnswer);
  record_path(EventType::create_path, *link.channel);
  return process_.links.insert(link);
}

void ProcessCalls::destroy_link(LinkIndex index) {
  DPM_ENTER("destroy_link");
  Channel& channel = *link_at(index).channel;
  process_.links.erase(index);
  if (!channel.for_replies) record_path(EventType::destroy_path, channel);
}

void ProcessCalls::record_path(EventType type, Channel& channel) {
  if (!process_.flags.has(type)) return;
  Event event;
  event.type = type;
  event.pc = pc();
  event.channel = simulation_.names().id_of(channel);
  event.peer = simulation_.names().id_of(*channel.owner);
  simulation_.meter().record(process_, event);
  settle();
}

LinkIndex ProcessCalls::standard_link(StandardLink which) const {
  return process_.standard_links[static_cast<std::size_t>(which)];
}

const WiredLinks* ProcessCalls::wired_to(std::string_view name) const {
  const Process* other = simulation_.find_process(std::string(name));
  const auto found = process_.wired.find(other);
  return other == nullptr || found == process_.wired.end() ? nullptr : &found->second;
}

LinkIndex ProcessCalls::link_to(std::string_view name) const {
  const WiredLinks* links = wired_to(name);
  if (links == nullptr || links->to.is_none()) throw Misuse{complaints::no_link_to(process_.name, name)};
  return links->to;
}

LinkIndex ProcessCalls::link_from(std::string_view name) const {
  const WiredLinks* links = wired_to(name);
  if (links == nullptr || links->from.is_none()) throw Misuse{complaints::no_link_from(process_.name, name)};
  return links->from;
}

LinkIndex ProcessCalls::link_to_process(Process& process) {
  const auto [entry, is_new] = links_to_processes_.try_emplace(&process);
  if (is_new) entry->second = process_.links.insert({&simulation_.channel_to(process)});
  return entry->second;
}

// ---- the process itself

void ProcessCalls::compute(Duration cpu_time) {
  DPM_ENTER("compute");
  refuse_if(complaints::negative_time(cpu_time));
  use_cpu(cpu_time);
}

void ProcessCalls::stop_task() {
  DPM_ENTER("stop_task");
  if (process_.flags.has(EventType::destroy_process)) {
    Event event;
    event.type = EventType::destroy_process;
    event.pc = pc();
    event.peer = simulation_.names().id_of(process_);
    simulation_.meter().record(process_, event);
    settle();
  }
  simulation_.meter().flush(process_);
  simulation_.end_task(process_);
  throw StopTask{};
}

std::vector<Event> ProcessCalls::receive_meter_message() {
  while (process_.queue.waiting.empty()) {
    process_.wanted = {};
    block(Waiting::for_message);
  }
  Packet& packet = *process_.queue.waiting.front();
  process_.queue.waiting.pop_front();
  process_.queue.received(simulation_.now());
  std::vector<Event> events = std::move(packet.meter_events);
  simulation_.packets().give_back(packet);
  return events;
}

}  // namespace dpm::sim
