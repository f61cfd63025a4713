#include "backends/sim/messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/check.hpp"
#include "model/link_complaints.hpp"

namespace dpm::sim {
namespace {

// A program that looks for messages a million times without using CPU time would never stop: time stands still
// meanwhile.
constexpr std::uint64_t kEmptyPollsMax = 1'000'000;

}  // namespace

// ---- sending

void Messages::reply(const Message& request, const OutgoingMessage& answer) {
  if (!request.reply_to) frame_.misuse(complaints::kNoCall);
  if (process_.links.find(*request.reply_to) == nullptr) frame_.misuse(complaints::kAnsweredAlready);
  send(*request.reply_to, answer);
}

// A reply link is good for one answer: what is sent over it uses it up.
Packet& Messages::packet_for(LinkIndex to, const OutgoingMessage& message) {
  const Link link = frame_.link_at(to);
  Packet& packet = simulation_.delivery().packets().take();
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
void Messages::pass_link(Packet& packet, LinkIndex index) {
  packet.passed = frame_.link_at(index);
  if (packet.passed->is_for_one_reply()) process_.links.erase(index);
}

void Messages::transmit(Packet& packet) {
  packet.sequence = process_.next_sequence++;
  Network& network = simulation_.delivery().network();
  frame_.use_cpu(DelayModel::sender_cpu(network.between(*process_.machine, *packet.to->machine), packet.length_bytes));
  simulation_.delivery().end_if_none_may_be_sent();
  packet.delays = &network.between(*process_.machine, *packet.to->machine);  // either may have migrated meanwhile
  if (process_.flags.has(EventType::send)) frame_.record(simulation_.names().event_of(EventType::send, packet));
  ++process_.messages_sent;
  simulation_.delivery().send(packet);
  frame_.settle();
}

// ---- receiving

std::optional<Message> Messages::receive(const Selection& selection, std::optional<TrueTime> until) {
  collect_wanted(selection);
  record_receive_call();
  Packet* packet = take_waiting(selection);
  while (packet == nullptr) {
    process_.wanted = {wanted_, selection.rank ? &selection.rank : nullptr};
    frame_.block(Waiting::for_message, until);
    packet = take_waiting(selection);
    if (packet == nullptr && until) return std::nullopt;  // only the timer wakes a process for which nothing came
  }
  return finish_receive(*packet);
}

std::optional<Message> Messages::receive_if_arrived(const Selection& selection) {
  collect_wanted(selection);
  record_receive_call();
  simulation_.delivery().deliver_due();
  if (Packet* packet = take_waiting(selection)) {
    empty_polls_ = 0;
    return finish_receive(*packet);
  }
  if (empty_polls_ == 0 || first_empty_poll_ != simulation_.now()) {
    empty_polls_ = 0;
    first_empty_poll_ = simulation_.now();
  }
  if (++empty_polls_ == kEmptyPollsMax)
    frame_.misuse(
        fmt::format("it has looked for messages {} times without using CPU time, so time stands still and none can "
                    "come; let it compute in between, or wait with receive_message",
                    kEmptyPollsMax));
  return std::nullopt;
}

std::vector<Message> Messages::call(std::span<const std::pair<LinkIndex, OutgoingMessage>> calls,
                                    std::optional<TrueTime> until) {
  if (process_.reply_channel == nullptr) {
    process_.reply_channel = &simulation_.population().create_channel(process_);
    process_.reply_channel->for_replies = true;
  }
  process_.first_awaited_call = process_.calls_made + 1;
  process_.called.clear();
  for (const auto& [to, message] : calls) {
    Packet& request = packet_for(to, message);
    request.reply_to = Link{process_.reply_channel, ++process_.calls_made};
    process_.called.push_back(request.to);
    transmit(request);
  }
  wanted_.assign(1, process_.reply_channel);
  std::vector<Message> replies;
  while (replies.size() < calls.size()) {
    record_receive_call();
    if (process_.replies.empty()) frame_.block(Waiting::for_reply, until);
    DPM_CHECK(!process_.replies.empty() || until);
    if (process_.replies.empty()) break;
    Packet* reply = process_.replies.front();
    process_.replies.pop_front();
    std::erase(process_.called, reply->from);
    replies.push_back(finish_receive(*reply));
  }
  process_.first_awaited_call = 0;  // the delivery drops a reply that comes later
  return replies;
}

void Messages::collect_wanted(const Selection& selection) {
  wanted_.clear();
  for (const LinkIndex index : selection.over) {
    Channel* channel = frame_.link_at(index).channel;
    if (channel->owner != &process_) frame_.misuse(complaints::not_my_link(index, channel->owner->name));
    wanted_.push_back(channel);
  }
}

void Messages::record_receive_call() {
  if (!process_.flags.has(EventType::receive_call)) return;
  Event event;
  event.type = EventType::receive_call;
  event.code = simulation_.names().set_of(wanted_).value;
  frame_.record(event);
  frame_.settle();
}

Packet* Messages::take_waiting(const Selection& selection) {
  process_.wanted = {wanted_, selection.rank ? &selection.rank : nullptr};
  auto& waiting = process_.queue.waiting;
  const auto rank_of = [&](const Packet* packet) { return process_.wanted.rank_of(*packet); };
  const auto is_wanted = [&](const Packet* packet) { return process_.wants(*packet); };
  const auto found = selection.rank ? first_of_highest_rank(waiting.begin(), waiting.end(), rank_of)
                                    : std::find_if(waiting.begin(), waiting.end(), is_wanted);
  if (found == waiting.end()) return nullptr;
  Packet* packet = *found;
  waiting.erase(found);
  return packet;
}

Message Messages::finish_receive(Packet& packet) {
  frame_.use_cpu(DelayModel::receiver_cpu(*packet.delays, packet.length_bytes));
  if (process_.flags.has(EventType::receive)) frame_.record(simulation_.names().event_of(EventType::receive, packet));
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
  simulation_.delivery().packets().give_back(packet);
  frame_.settle();
  return message;
}

std::vector<Event> Messages::receive_meter_message() {
  while (process_.queue.waiting.empty()) {
    process_.wanted = {};
    frame_.block(Waiting::for_message);
  }
  Packet& packet = *process_.queue.waiting.front();
  process_.queue.waiting.pop_front();
  process_.queue.received(simulation_.now());
  std::vector<Event> events = std::move(packet.meter_events);
  simulation_.delivery().packets().give_back(packet);
  return events;
}

}  // namespace dpm::sim
