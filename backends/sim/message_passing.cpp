// The part of ProcessCalls that sends and receives.
#include <algorithm>

#include "backends/sim/process_calls.hpp"
#include "model/check.hpp"
#include "model/link_complaints.hpp"

#define DPM_ENTER(call) enter(call, __builtin_return_address(0))

namespace dpm::sim {
namespace {

// A program that looks for messages a million times without using CPU time would do so for ever: time stands still
// meanwhile.
constexpr std::uint64_t kMostEmptyPolls = 1'000'000;

}  // namespace

// ---- sending

void ProcessCalls::send_message(LinkIndex to, const OutgoingMessage& message) {
  DPM_ENTER("send_message");
  send_over(to, message);
}

void ProcessCalls::reply(const Message& request, const OutgoingMessage& answer) {
  DPM_ENTER("reply");
  if (!request.reply_to) misuse(complaints::kNoCall);
  if (process_.links.find(*request.reply_to) == nullptr) misuse(complaints::kAnsweredAlready);
  send_over(*request.reply_to, answer);
}

void ProcessCalls::send_over(LinkIndex to, const OutgoingMessage& message) { transmit(packet_for(to, message)); }

// A reply link is good for one answer: what is sent over it uses it up.
Packet& ProcessCalls::packet_for(LinkIndex to, const OutgoingMessage& message) {
  const Link link = link_at(to);
  Packet& packet = simulation_.packets().take();
  packet.from = &process_;
  packet.to = link.channel->owner;
  packet.channel = link.channel;
  packet.answers_call = link.answers_call;
  packet.code = message.code;
  packet.length_bytes = std::max(message.length_bytes, static_cast<std::uint32_t>(message.data.size()));
  packet.data = message.data;
  if (message.pass) pass_link(packet, *message.pass);
  if (link.is_for_one_reply()) process_.links.erase(to);
  return packet;
}

// The receiver gets a copy, except of a reply link: that goes.
void ProcessCalls::pass_link(Packet& packet, LinkIndex index) {
  packet.passed = link_at(index);
  if (packet.passed->is_for_one_reply()) process_.links.erase(index);
}

void ProcessCalls::transmit(Packet& packet, std::uint16_t flags) {
  packet.sequence = process_.next_sequence++;
  use_cpu(DelayModel::sender_cpu(simulation_.network().between(*process_.machine, *packet.to->machine),
                                 packet.length_bytes));
  packet.delays = &simulation_.network().between(*process_.machine, *packet.to->machine);
  if (process_.flags.has(EventType::send)) {
    Event event = simulation_.names().event_of(EventType::send, packet);
    event.pc = pc();
    event.flags = flags;
    simulation_.meter().record(process_, event);
  }
  ++process_.messages_sent;
  simulation_.send(packet);
  settle();
}

// ---- receiving

Message ProcessCalls::receive_message(std::span<const LinkIndex> over) {
  DPM_ENTER("receive_message");
  collect_wanted(over);
  record_receive_call(wanted_);
  Packet* packet = take_waiting();
  while (packet == nullptr) {
    process_.wanted = wanted_;
    block(Waiting::for_message);
    packet = take_waiting();
  }
  return accept(*packet);
}

std::optional<Message> ProcessCalls::a_receive_message(std::span<const LinkIndex> over) {
  DPM_ENTER("a_receive_message");
  collect_wanted(over);
  record_receive_call(wanted_);
  simulation_.deliver_due();
  if (Packet* packet = take_waiting()) {
    empty_polls_ = 0;
    return accept(*packet);
  }
  if (empty_polls_ == 0 || first_empty_poll_ != simulation_.now()) {
    empty_polls_ = 0;
    first_empty_poll_ = simulation_.now();
  }
  if (++empty_polls_ == kMostEmptyPolls)
    misuse("it has looked for messages " + std::to_string(kMostEmptyPolls) +
           " times without using CPU time, so time stands still and none can come; let it compute in between, or wait "
           "with receive_message");
  return std::nullopt;
}

Message ProcessCalls::call(LinkIndex to, OutgoingMessage message) {
  DPM_ENTER("call");
  Packet& request = packet_for(to, message);
  if (process_.reply_channel == nullptr) {
    process_.reply_channel = &simulation_.create_channel(process_);
    process_.reply_channel->for_replies = true;
  }
  request.reply_to = Link{process_.reply_channel, ++process_.calls_made};
  process_.awaited_call = process_.calls_made;
  process_.called = request.to;
  transmit(request);

  wanted_.assign(1, process_.reply_channel);
  record_receive_call(wanted_);
  if (process_.reply == nullptr) block(Waiting::for_reply);
  DPM_CHECK(process_.reply != nullptr);
  return accept(*std::exchange(process_.reply, nullptr));
}

void ProcessCalls::collect_wanted(std::span<const LinkIndex> over) {
  wanted_.clear();
  for (const LinkIndex index : over) {
    Channel* channel = link_at(index).channel;
    if (channel->owner != &process_) misuse(complaints::not_my_link(index, channel->owner->name));
    wanted_.push_back(channel);
  }
}

void ProcessCalls::record_receive_call(Wanted wanted) {
  if (!process_.flags.has(EventType::receive_call)) return;
  Event event;
  event.type = EventType::receive_call;
  event.pc = pc();
  event.code = simulation_.names().set_of(wanted).value;
  simulation_.meter().record(process_, event);
  settle();
}

// The earliest arrived message that is wanted.
Packet* ProcessCalls::take_waiting() {
  process_.wanted = wanted_;
  auto& waiting = process_.queue.waiting;
  const auto found =
      std::find_if(waiting.begin(), waiting.end(), [&](const Packet* packet) { return process_.wants(*packet); });
  if (found == waiting.end()) return nullptr;
  Packet* packet = *found;
  waiting.erase(found);
  return packet;
}

Message ProcessCalls::accept(Packet& packet) {
  use_cpu(DelayModel::receiver_cpu(*packet.delays, packet.length_bytes));
  if (process_.flags.has(EventType::receive)) {
    Event event = simulation_.names().event_of(EventType::receive, packet);
    event.pc = pc();
    simulation_.meter().record(process_, event);
  }
  process_.queue.received(simulation_.now());
  process_.last_activity = simulation_.now();
  ++process_.messages_received;

  Message message;
  message.sender = process_.system ? packet.from->id : simulation_.names().id_of(*packet.from);
  message.over = packet.channel->owners_index;
  message.code = packet.code;
  message.length_bytes = packet.length_bytes;
  message.data = std::move(packet.data);
  if (packet.passed) message.passed = process_.links.insert(*packet.passed);
  if (packet.reply_to) message.reply_to = process_.links.insert(*packet.reply_to);
  simulation_.packets().give_back(packet);
  settle();
  return message;
}

}  // namespace dpm::sim
