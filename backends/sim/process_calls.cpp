#include "backends/sim/process_calls.hpp"

#include <fmt/format.h>

#include "model/link_complaints.hpp"

// The address the call was made from, taken in the call itself.
#define DPM_ENTER(call) frame_.enter(call, __builtin_return_address(0))

namespace dpm::sim {

namespace {

// A process that begins again does not draw the same again.
std::string stream_of(const Process& process) {
  return process.restarts == 0 ? process.name : fmt::format("{} restart {}", process.name, process.restarts);
}

}  // namespace

ProcessCalls::ProcessCalls(Simulation& simulation, Process& process)
    : simulation_(simulation),
      process_(process),
      random_(Random::stream(simulation.scenario().seed, stream_of(process))),
      frame_(simulation, process),
      messages_(simulation, process, frame_),
      moved_data_(simulation, process, frame_),
      semaphores_(simulation, process, frame_) {}

// ---- links

LinkIndex ProcessCalls::create_link(std::optional<DataArea> area) {
  DPM_ENTER("create_link");
  if (area) frame_.refuse_if(complaints::outside_address_space(*area, process_.address_space.size()));
  Channel& channel = simulation_.population().create_channel(process_);
  channel.area = area;
  record_path(EventType::create_path, channel);
  return channel.owners_index;
}

LinkIndex ProcessCalls::duplicate_link(LinkIndex index) {
  DPM_ENTER("duplicate_link");
  const Link link = frame_.link_at(index);
  if (link.is_for_one_reply()) frame_.misuse(complaints::kOneAnswer);
  record_path(EventType::create_path, *link.channel);
  return process_.links.insert(link);
}

void ProcessCalls::destroy_link(LinkIndex index) {
  DPM_ENTER("destroy_link");
  Channel& channel = *frame_.link_at(index).channel;
  process_.links.erase(index);
  if (!channel.for_replies) record_path(EventType::destroy_path, channel);
}

void ProcessCalls::record_path(EventType type, Channel& channel) {
  if (!process_.flags.has(type)) return;
  Event event;
  event.type = type;
  event.channel = simulation_.names().id_of(channel);
  event.peer = simulation_.names().id_of(*channel.owner);
  frame_.record(event);
  frame_.settle();
}

LinkIndex ProcessCalls::standard_link(StandardLink which) const {
  return process_.standard_links[static_cast<std::size_t>(which)];
}

const WiredLinks* ProcessCalls::wired_to(std::string_view name) const {
  const Process* other = simulation_.population().find_process(std::string(name));
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
  if (is_new) entry->second = process_.links.insert({&simulation_.population().channel_to(process)});
  return entry->second;
}

// ---- messages

void ProcessCalls::send_message(LinkIndex to, const OutgoingMessage& message) {
  DPM_ENTER("send_message");
  messages_.send(to, message);
}

Message ProcessCalls::receive_message(const Selection& selection) {
  DPM_ENTER("receive_message");
  return *messages_.receive(selection);
}

std::optional<Message> ProcessCalls::a_receive_message(const Selection& selection) {
  DPM_ENTER("a_receive_message");
  return messages_.receive_if_arrived(selection);
}

std::optional<Message> ProcessCalls::receive_message_until(Deadline deadline, const Selection& selection) {
  DPM_ENTER("receive_message_until");
  return messages_.receive(selection, TrueTime{deadline.ns});
}

Message ProcessCalls::call(LinkIndex to, OutgoingMessage message) {
  DPM_ENTER("call");
  const std::pair<LinkIndex, OutgoingMessage> one{to, std::move(message)};
  return std::move(messages_.call({&one, 1}, std::nullopt).front());
}

std::optional<Message> ProcessCalls::call_until(Deadline deadline, LinkIndex to, OutgoingMessage message) {
  DPM_ENTER("call_until");
  const std::pair<LinkIndex, OutgoingMessage> one{to, std::move(message)};
  auto replies = messages_.call({&one, 1}, TrueTime{deadline.ns});
  if (replies.empty()) return std::nullopt;
  return std::move(replies.front());
}

std::vector<Message> ProcessCalls::call_all(std::span<const std::pair<LinkIndex, OutgoingMessage>> calls,
                                            std::optional<Deadline> deadline) {
  DPM_ENTER("call_all");
  return messages_.call(calls, deadline ? std::optional(TrueTime{deadline->ns}) : std::nullopt);
}

void ProcessCalls::reply(const Message& request, const OutgoingMessage& answer) {
  DPM_ENTER("reply");
  messages_.reply(request, answer);
}

void ProcessCalls::move_data(LinkIndex from, LinkIndex to, std::uint64_t bytes) {
  DPM_ENTER("move_data");
  moved_data_.move(from, to, bytes);
}

// ---- memory that processes share

void ProcessCalls::give_unit(std::string_view semaphore) {
  DPM_ENTER("give_unit");
  semaphores_.give(semaphore);
}

void ProcessCalls::take_unit(std::string_view semaphore) {
  DPM_ENTER("take_unit");
  semaphores_.take(semaphore);
}

// ---- the process itself

void ProcessCalls::begin() {
  frame_.wait_while_stopped();
  if (!process_.flags.has(EventType::start_process)) return;
  Event event;
  event.type = EventType::start_process;
  if (process_.started_by != nullptr) event.peer = simulation_.names().id_of(*process_.started_by);
  simulation_.meter().record(process_, event);
  frame_.settle();
}

void ProcessCalls::compute(Duration cpu_time) {
  DPM_ENTER("compute");
  frame_.refuse_if(complaints::negative_time(cpu_time));
  frame_.use_cpu(cpu_time);
}

void ProcessCalls::sleep(Duration time) {
  DPM_ENTER("sleep");
  frame_.refuse_if(complaints::negative_time(time));
  if (time.ns == 0) return;
  frame_.block(Waiting::for_time, simulation_.now() + time);
  process_.last_activity = simulation_.now();
}

void ProcessCalls::stop_task() {
  DPM_ENTER("stop_task");
  if (process_.flags.has(EventType::destroy_process)) {
    Event event;
    event.type = EventType::destroy_process;
    event.peer = simulation_.names().id_of(process_);
    frame_.record(event);
    frame_.settle();
  }
  simulation_.meter().flush(process_);
  simulation_.scheduler().end_task(process_);
  throw StopTask{};
}

}  // namespace dpm::sim
