#include "analysis/messages/streamed_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "analysis/messages/datagrams.hpp"
#include "analysis/messages/wait_again.hpp"

namespace dpm {
namespace {

constexpr std::uint64_t kNumbersWithoutSend = std::uint64_t{1} << 63;  // as in MessageResolver
constexpr std::uint64_t kOffsetMost = std::uint64_t{1} << 62;
constexpr std::size_t kClosedKept = 4096;

std::uint32_t length_of(std::uint64_t bytes) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, std::numeric_limits<std::uint32_t>::max()));
}

void keep_first(ProcessId& first, ProcessId process) { first = std::min(first, process); }

bool is_end_of_message(const Event& event) {
  const bool by_kernel = (event.flags & event_flags::kKernelMessage) != 0;
  return (event.type == EventType::send || event.type == EventType::receive) && !by_kernel;
}

}  // namespace

StreamedMessages::StreamedMessages(EventSink& as_performed, EventSink& messages)
    : as_performed_(as_performed), messages_(messages), sets_(1) {}

void StreamedMessages::on_begin(const TraceInfo& info) {
  rows_ = info;
  rows_.processes.clear();
  rows_.channels.clear();
  rows_.channel_sets = {{}};
  rows_.modules.clear();
  rows_.wait_causes.clear();
  as_performed_.on_begin(rows_);
  messages_.on_begin(rows_);
  TableSizes told;
  told.machines = info.machines.size();
  on_growth(TraceGrowth::since(told, info));
}

void StreamedMessages::on_growth(const TraceGrowth& growth) {
  forget_closed();
  rows_.machines.insert(rows_.machines.end(), growth.machines.begin(), growth.machines.end());
  for (const ProcessInfo& process : growth.processes) slots_.add(ProcessId{processes_told_++}, process);
  for (const auto& again : growth.processes_again) slots_.describe_again(again.id, again.entry);
  for (const auto& renamed : growth.renamed) slots_.rename(renamed.process, renamed.name, renamed.program);
  for (const ChannelInfo& channel : growth.channels) channels_[channels_told_++].info = channel;
  for (const auto& again : growth.channels_again) channels_[again.id.value].info = again.entry;
  for (const auto& owned : growth.owned)
    if (Channel* channel = channel_of(owned.channel)) channel->info.owner = owned.owner;
  for (const auto& set : growth.channel_sets) add_set(set);
  for (const auto& more : growth.more_of_sets)
    if (more.set >= sets_forgotten_ && more.set - sets_forgotten_ < sets_.size()) {
      auto& set = sets_[more.set - sets_forgotten_];
      set.insert(set.end(), more.channels.begin(), more.channels.end());
    }
  while (sets_.size() > kSetsMost) sets_.pop_front(), ++sets_forgotten_;
  ended_.insert(ended_.end(), growth.ended.begin(), growth.ended.end());
  closed_.insert(closed_.end(), growth.closed.begin(), growth.closed.end());
}

// What was told twice a while ago is named by no event any more.
void StreamedMessages::forget_closed() {
  if (ended_.size() + closed_.size() < kClosedKept) return;
  for (const ProcessId process : ended_before_) slots_.forget(process);
  for (const ChannelId id : closed_before_) {
    Channel* channel = channel_of(id);
    if (channel == nullptr) continue;
    settle_all(id, *channel);
    channels_.erase(id.value);
  }
  ended_before_ = std::exchange(ended_, {});
  closed_before_ = std::exchange(closed_, {});
  pass_on();
}

StreamedMessages::Channel* StreamedMessages::channel_of(ChannelId id) {
  const auto found = channels_.find(id.value);
  return found == channels_.end() ? nullptr : &found->second;
}

bool StreamedMessages::is_live(ChannelId channel) const {
  const auto found = channels_.find(channel.value);
  return found != channels_.end() && found->second.info.kind != ChannelKind::numbered;
}

void StreamedMessages::note_holder(ProcessId process, ChannelId writes, ChannelId reads) {
  if (Channel* channel = channel_of(writes)) keep_first(channel->sent.holder, process);
  if (Channel* channel = channel_of(reads)) keep_first(channel->received.holder, process);
}

void StreamedMessages::on_events(std::span<const Event> batch) {
  performed_.clear();
  for (const Event& event : batch) {
    Event placed = event;
    if (!slots_.place(placed)) {
      ++unknown_;
      continue;
    }
    take(placed);
  }
  as_performed_.on_events(performed_);
  hurry();
  pass_on();
}

void StreamedMessages::take(Event event) {
  Channel* used = is_end_of_message(event) ? channel_of(event.channel) : nullptr;
  const bool is_live = used != nullptr && used->info.kind != ChannelKind::numbered;
  performed_.push_back(event);
  if (is_live) performed_.back().flags |= event_flags::kNoMessage;
  switch (event.type) {
    case EventType::receive_call:
      if (event.code >= sets_forgotten_ && event.code - sets_forgotten_ < sets_.size())
        for (const ChannelId channel : sets_[event.code - sets_forgotten_]) note_holder(event.process, {}, channel);
      break;
    case EventType::accept:
    case EventType::connect:
    case EventType::socket:
    case EventType::dup:
    case EventType::destroy_path:
      note_holder(event.process, event.channel, event.passed_channel);
      break;
    case EventType::gap:
      gap_bytes_ += event.length_bytes;
      event.code == 0 ? note_holder(event.process, event.channel, {}) : note_holder(event.process, {}, event.channel);
      if (Channel* channel = channel_of(event.channel)) note_gap(event, *channel);
      break;
    default:
      break;
  }
  if (is_live) {
    take_message(event, event.channel, *used);
  } else {
    out_.push_back(event);
  }
  if (event.type == EventType::receive_call) waiting_set_[event.process.value] = event.code;
  if (event.type == EventType::receive) waiting_set_.erase(event.process.value);
}

void StreamedMessages::note_gap(const Event& event, Channel& channel) {
  if (channel.info.kind == ChannelKind::datagram) gap_datagrams_ += event.sequence;
  if (channel.info.kind != ChannelKind::stream) return;
  End& end = event.code == 0 ? channel.sent : channel.received;
  if (event.length_bytes == 0 || event.sequence > kOffsetMost) return;
  end.until = std::max(end.until, event.sequence + event.length_bytes);
  end.waiting_bytes += event.length_bytes;
  wait(event.channel, channel, {event, 0});
}

void StreamedMessages::take_message(Event event, ChannelId id, Channel& channel) {
  const bool sends = event.type == EventType::send;
  const auto set = waiting_set_.find(event.process.value);
  End& end = sends ? channel.sent : channel.received;
  const End& other = sends ? channel.received : channel.sent;
  keep_first(end.first, event.process);
  const bool is_stream = channel.info.kind == ChannelKind::stream;
  if (is_stream && (event.length_bytes == 0 || event.sequence > kOffsetMost)) {
    contradictions_ += event.sequence > kOffsetMost ? 1 : 0;
    return pass_without_message(event);
  }
  if (is_stream && event.sequence < channel.hurried_until) {  // the other end has counted already
    ++hurried_;
    const std::uint64_t until = event.sequence + event.length_bytes;
    if (until <= channel.hurried_until) return pass_without_message(event);
    event.sequence = channel.hurried_until;
    event.length_bytes = length_of(until - channel.hurried_until);
  }
  const Waiting waiting{event, set == waiting_set_.end() ? kAnyChannel.value : set->second};
  if (is_stream) {
    end.until = std::max(end.until, event.sequence + event.length_bytes);
    end.waiting_bytes += event.length_bytes;
  }
  ++end.waiting;
  wait(id, channel, waiting);
  const bool leads_outside = channel.was_hurried && other.first.is_none() && other.holder.is_none();
  if (leads_outside) {
    channel.hurried_until = end.until;
    return settle_all(id, channel);
  }
  look(id, channel);
}

void StreamedMessages::wait(ChannelId id, Channel& channel, const Waiting& waiting) {
  if (!channel.has_begun) {
    channel.has_begun = true;
    channel.settled_until = waiting.event.sequence;
  }
  if (channel.events.empty()) {
    channel.since = ++next_since_;
    order_.push_back({id, channel.since});
  }
  channel.events.push_back(waiting);
  ++waiting_;
}

// Settles what can be: often all, because the stream is empty.
void StreamedMessages::look(ChannelId id, Channel& channel) {
  const End &sent = channel.sent, &received = channel.received;
  if (channel.info.kind != ChannelKind::stream) {
    if (sent.waiting == received.waiting) settle_all(id, channel);
    return;
  }
  const auto covers = [&](const End& end) { return channel.settled_until + end.waiting_bytes == end.until; };
  if (sent.until == received.until && covers(sent) && covers(received))
    return settle(id, channel, std::numeric_limits<std::uint64_t>::max());
  if (channel.events.size() < channel.next_look) return;
  if (const std::uint64_t until = settled_part(channel); until > channel.settled_until) settle(id, channel, until);
  channel.next_look = std::max(kLookLeast, 2 * channel.events.size());
}

// The last place where the stream was empty.
std::uint64_t StreamedMessages::settled_part(const Channel& channel) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sent, received;
  for (const Waiting& waiting : channel.events) {
    const Event& event = waiting.event;
    const bool sends = event.type == EventType::send || (event.type == EventType::gap && event.code == 0);
    (sends ? sent : received).emplace_back(event.sequence, event.sequence + event.length_bytes);
  }
  std::sort(sent.begin(), sent.end());
  std::sort(received.begin(), received.end());
  std::uint64_t sent_until = channel.settled_until, received_until = channel.settled_until, empty = sent_until;
  std::size_t s = 0, r = 0;
  for (;;) {
    if (sent_until == received_until) empty = sent_until;
    auto [list, at, until] =
        sent_until <= received_until ? std::tie(sent, s, sent_until) : std::tie(received, r, received_until);
    if (at == list.size() || list[at].first != until) return empty;
    until = list[at++].second;
  }
}

// All events before `until`, which is a place where the stream was empty.
void StreamedMessages::settle(ChannelId id, Channel& channel, std::uint64_t until) {
  std::vector<Waiting> settled;
  const auto is_later = [&](const Waiting& waiting) { return waiting.event.sequence >= until; };
  const bool is_all = std::none_of(channel.events.begin(), channel.events.end(), is_later);
  if (is_all) {
    settled.swap(channel.events);
  } else {
    const auto first_settled = std::stable_partition(channel.events.begin(), channel.events.end(), is_later);
    settled.assign(first_settled, channel.events.end());
    channel.events.erase(first_settled, channel.events.end());
  }
  for (const Waiting& waiting : settled) {
    const Event& event = waiting.event;
    const bool sends = event.type == EventType::send || (event.type == EventType::gap && event.code == 0);
    End& end = sends ? channel.sent : channel.received;
    if (channel.info.kind == ChannelKind::stream) end.waiting_bytes -= event.length_bytes;
    if (event.type != EventType::gap) --end.waiting;
  }
  waiting_ -= settled.size();
  channel.settled_until = is_all ? std::max(channel.sent.until, channel.received.until) : until;
  channel.next_look = kLookLeast;
  channel.info.kind == ChannelKind::stream ? resolve_stream(id, channel, settled)
                                           : resolve_datagrams(id, channel, settled);
  if (!is_all) {
    channel.since = ++next_since_;
    order_.push_back({id, channel.since});
  } else if (channel.events.capacity() == 0) {
    settled.clear();
    channel.events.swap(settled);  // keeps its memory
    if (channel.events.capacity() > kLookLeast) channel.events = {};
  }
}

void StreamedMessages::settle_all(ChannelId id, Channel& channel) {
  if (!channel.events.empty()) settle(id, channel, std::numeric_limits<std::uint64_t>::max());
}

void StreamedMessages::resolve_stream(ChannelId id, Channel& channel, std::span<const Waiting> events) {
  ByteRanges sent, received;
  for (const Waiting& waiting : events) {
    const Event& event = waiting.event;
    if (event.type == EventType::gap) continue;
    (event.type == EventType::send ? sent : received).add({event.sequence, event.length_bytes, event.process});
  }
  contradictions_ += sent.resolve_overlaps() + received.resolve_overlaps();
  for (const Waiting& waiting : events) {
    if (waiting.event.type == EventType::send) resolve_send(id, channel, waiting.event, sent, received);
    if (waiting.event.type == EventType::receive) resolve_receive(id, channel, waiting, sent, received);
  }
  if (sent.size() > 0) channel.last_sender = sent[sent.size() - 1].process;
}

void StreamedMessages::resolve_send(ChannelId id, Channel& channel, const Event& event, ByteRanges& sent,
                                    const ByteRanges& received) {
  const auto index = sent.claim({event.sequence, event.length_bytes, event.process});
  if (!index) return pass_without_message(event);
  find_parts(sent, received, *index, &parts_);
  Event message = event;
  if (parts_.empty()) {
    message.length_bytes = sent[*index].length_bytes;
    message.peer = reader_of(id, channel);
    out_.push_back(message);
  }
  for (const MessagePart& part : parts_) {
    message.peer = part.receiver;
    message.sequence = part.first_byte;
    message.length_bytes = length_of(part.length_bytes);
    out_.push_back(message);
    message.passed_channel = {};
  }
}

void StreamedMessages::resolve_receive(ChannelId id, Channel& channel, const Waiting& waiting, const ByteRanges& sent,
                                       ByteRanges& received) {
  const Event& event = waiting.event;
  const auto index = received.claim({event.sequence, event.length_bytes, event.process});
  if (!index) return pass_without_message(event);
  find_taken(sent, received, *index, &taken_);
  if (taken_.empty()) return pass_without_message(event);
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    if (i > 0) wait_again(event, waiting.set, out_);
    Event message = event;
    message.peer = taken_[i].sender;
    message.sequence = taken_[i].first_byte;
    message.length_bytes = length_of(taken_[i].length_bytes);
    if (i > 0) message.passed_channel = {};
    if (taken_[i].sender.is_none()) {
      message.peer = writer_of(id, channel);
      const bool is_metered = !channel.sent.first.is_none() || !channel.sent.holder.is_none();
      if (is_metered) {
        const std::size_t after = sent.first_after(taken_[i].first_byte);
        if (after > 0)
          message.peer = sent[after - 1].process;
        else if (!channel.last_sender.is_none())
          message.peer = channel.last_sender;
        message.evidence = Evidence::inferred;
        unsent_bytes_ += taken_[i].length_bytes;
        ++unsent_messages_;
      }
    }
    out_.push_back(message);
  }
}

void StreamedMessages::resolve_datagrams(ChannelId id, Channel& channel, std::span<const Waiting> events) {
  Datagrams datagrams;
  for (const Waiting& waiting : events)
    waiting.event.type == EventType::send ? datagrams.send(waiting.event) : datagrams.receive(waiting.event);
  datagrams.match();
  matched_ += datagrams.matched();
  passed_over_ += datagrams.lost();
  for (const Waiting& waiting : events) {
    Event event = waiting.event;
    if (event.type == EventType::send) {
      event.peer = datagrams.next_receiver(event.process);
      if (event.peer.is_none()) event.peer = reader_of(id, channel);
    } else if (const auto arrival = datagrams.next_arrival(event.process)) {
      event.peer = arrival->sender;
      event.sequence = arrival->sequence;
      event.evidence = Evidence::inferred;
    } else {
      event.sequence = kNumbersWithoutSend + unsent_datagrams_++;
      if (event.peer.is_none()) event.peer = writer_of(id, channel);
      unsent_messages_ += !channel.sent.first.is_none() || !channel.sent.holder.is_none() ? 1 : 0;
    }
    out_.push_back(event);
  }
}

void StreamedMessages::pass_without_message(Event event) {
  event.flags |= event_flags::kNoMessage;
  out_.push_back(event);
}

ProcessId StreamedMessages::writer_of(ChannelId id, const Channel& channel) {
  if (!channel.sent.first.is_none()) return channel.sent.first;
  if (!channel.sent.holder.is_none()) return channel.sent.holder;
  return slots_.outside(id, channel.info.name, ChannelSide::sending, channel.received.first);
}

ProcessId StreamedMessages::reader_of(ChannelId id, const Channel& channel) {
  if (!channel.received.first.is_none()) return channel.received.first;
  if (!channel.received.holder.is_none()) return channel.received.holder;
  if (const ProcessId owner = slots_.slot_of(channel.info.owner); !owner.is_none()) return owner;
  return slots_.outside(id, channel.info.name, ChannelSide::receiving, channel.sent.first);
}

void StreamedMessages::hurry() {
  const bool are_many = waiting_ > kWaitingMost;
  if (!are_many && order_.size() < 2 * waiting_ + 1024) return;
  std::erase_if(order_, [&](const Order& entry) {
    const Channel* channel = channel_of(entry.channel);
    return channel == nullptr || channel->events.empty() || channel->since != entry.since;
  });
  // First those of which one end was never seen: it is outside, most probably.
  for (const bool is_any : {false, true})
    for (const Order& entry : std::vector<Order>(order_.begin(), order_.end())) {
      if (waiting_ <= kWaitingMost) return;
      Channel& channel = *channel_of(entry.channel);
      if (!is_any && !channel.sent.first.is_none() && !channel.received.first.is_none()) continue;
      channel.was_hurried = true;
      channel.hurried_until = std::max(channel.sent.until, channel.received.until);
      settle_all(entry.channel, channel);
    }
}

std::unordered_map<std::uint32_t, LocalTime> StreamedMessages::oldest_by_queue() const {
  std::unordered_map<std::uint32_t, LocalTime> oldest;
  for (const Order& entry : order_) {
    const auto found = channels_.find(entry.channel.value);
    if (found == channels_.end() || found->second.events.empty() || found->second.since != entry.since) continue;
    const Channel& channel = found->second;
    const ProcessId reader = channel.received.first.is_none() ? channel.received.holder : channel.received.first;
    if (reader.is_none()) continue;
    const ProcessId group = rows_.processes[reader.value].group;
    const std::uint32_t queue = group.is_none() ? reader.value : group.value;
    for (const Waiting& waiting : channel.events) {
      const auto [time, is_new] = oldest.try_emplace(queue, waiting.event.local_time);
      time->second = std::min(time->second, waiting.event.local_time);
    }
  }
  return oldest;
}

void StreamedMessages::pass_on() {
  if (!out_.empty()) messages_.on_events(out_);
  out_.clear();
}

void StreamedMessages::on_end(const LossReport& losses) {
  for (auto& [number, channel] : channels_) settle_all(ChannelId{number}, channel);
  pass_on();
  as_performed_.on_end(losses);
  LossReport report = losses;
  for (std::string& note : notes()) report.warnings.push_back(std::move(note));
  messages_.on_end(report);
}

std::vector<std::string> StreamedMessages::notes() const {
  std::vector<std::string> notes = slots_.notes();
  const auto say = [&](const std::string& what, std::uint64_t number, const std::string& more = "") {
    if (number > 0) notes.push_back(fmt::format("{}: {}{}", what, number, more));
  };
  say("datagrams matched by order and size", matched_);
  say("datagrams sent and not received, though later ones were", passed_over_);
  say("bytes that passed the meter unseen (GAP)", gap_bytes_);
  say("datagrams that do not agree with the kernel's counts (GAP)", gap_datagrams_);
  say("messages from metered processes that were not seen sending them", unsent_messages_,
      fmt::format(" ({} bytes of streams)", unsent_bytes_));
  say("operations on streams that claim bytes which others claim too", contradictions_,
      " (the trace is damaged, or threads used a socket at the same instant)");
  say("operations whose other end came so late that they were counted without it", hurried(),
      " (a trace has them as one message)");
  say("events of processes that the meter had already forgotten", unknown_);
  return notes;
}

}  // namespace dpm
