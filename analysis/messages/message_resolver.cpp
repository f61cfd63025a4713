#include "analysis/messages/message_resolver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "analysis/messages/wait_again.hpp"
#include "model/check.hpp"

namespace dpm {
namespace {

// Numbers of datagrams without a known sender: no sender counts that far.
constexpr std::uint64_t kUnsentNumbers = std::uint64_t{1} << 63;

std::uint32_t event_length(std::uint64_t bytes) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

MessageResolver::MessageResolver(MessageSurvey survey, EventSink& next, ReceiveLength length)
    : survey_(std::move(survey)), next_(&next), length_(length) {}

void MessageResolver::on_begin(const TraceInfo& info) {
  info_ = info;
  outside_.emplace(info_);
  want_outside_ends();
  outside_->make_processes();
  waiting_set_.assign(info_.processes.size(), kAnyChannel.value);
  next_->on_begin(info_);
}

void MessageResolver::want_outside_ends() {
  auto& channels = survey_.channels();
  if (channels.size() > info_.channels.size()) channels.resize(info_.channels.size());
  for (std::uint32_t c = 0; c < channels.size(); ++c) {
    const ChannelTraffic& traffic = channels[c];
    const Datagrams* datagrams = traffic.datagrams.get();
    const bool sent = traffic.sent.size() > 0 || (datagrams != nullptr && datagrams->any_sent());
    const bool received = traffic.received.size() > 0 || (datagrams != nullptr && datagrams->any_received());
    if (received && traffic.writer.is_none()) outside_->want(ChannelId{c}, ChannelSide::sending, traffic.reader);
    if (sent && traffic.reader.is_none()) outside_->want(ChannelId{c}, ChannelSide::receiving, traffic.writer);
  }
}

ChannelTraffic* MessageResolver::traffic(ChannelId channel) {
  auto& channels = survey_.channels();
  if (channel.value >= channels.size() || info_[channel].kind == ChannelKind::numbered) return nullptr;
  return &channels[channel.value];
}

ProcessId MessageResolver::writer_of(ChannelId channel) const {
  const auto& channels = survey_.channels();
  if (channel.value >= channels.size()) return {};
  const ProcessId metered = channels[channel.value].writer;
  return metered.is_none() ? outside_->at(channel, ChannelSide::sending) : metered;
}

ProcessId MessageResolver::reader_of(ChannelId channel) const {
  const auto& channels = survey_.channels();
  if (channel.value >= channels.size()) return {};
  const ProcessId metered = channels[channel.value].reader;
  return metered.is_none() ? outside_->at(channel, ChannelSide::receiving) : metered;
}

void MessageResolver::on_events(std::span<const Event> batch) {
  DPM_CHECK(outside_.has_value());
  out_.clear();
  for (const Event& event : batch) {
    if (event.process.value < waiting_set_.size()) {
      resolve(event);
    } else {
      out_.push_back(event);
    }
  }
  next_->on_events(out_);
}

void MessageResolver::resolve(const Event& event) {
  const bool by_kernel = (event.flags & event_flags::kKernelMessage) != 0;
  ChannelTraffic* used = by_kernel ? nullptr : traffic(event.channel);
  if (event.type == EventType::send && used != nullptr) {
    used->datagrams != nullptr ? send_datagram(event, *used) : resolve_send(event, *used);
  } else if (event.type == EventType::receive && used != nullptr) {
    used->datagrams != nullptr ? receive_datagram(event, *used) : resolve_receive(event, *used);
  } else {
    out_.push_back(event);
    Event& passed = out_.back();
    const bool opens = event.type == EventType::accept || event.type == EventType::connect;
    if (opens && passed.peer.is_none()) passed.peer = reader_of(event.channel);
    if (opens && passed.peer.is_none()) passed.peer = writer_of(event.passed_channel);
  }
  if (event.type == EventType::receive_call) waiting_set_[event.process.value] = event.code;
  if (event.type == EventType::receive) waiting_set_[event.process.value] = kAnyChannel.value;
}

void MessageResolver::pass_without_message(Event event) {
  event.flags |= event_flags::kNoMessage;
  out_.push_back(event);
}

void MessageResolver::resolve_send(const Event& event, ChannelTraffic& traffic) {
  const auto index = traffic.sent.claim({event.sequence, event.length_bytes, event.process});
  if (!index) return pass_without_message(event);
  find_parts(traffic.sent, traffic.received, *index, &parts_);
  Event message = event;
  if (parts_.empty()) {
    message.length_bytes = traffic.sent[*index].length_bytes;
    message.peer = reader_of(event.channel);
    out_.push_back(message);
  }
  for (const MessagePart& part : parts_) {
    message.peer = part.receiver;
    message.sequence = part.first_byte;
    message.length_bytes = event_length(part.length_bytes);
    out_.push_back(message);
    message.passed_channel = {};
  }
}

void MessageResolver::resolve_receive(const Event& event, ChannelTraffic& traffic) {
  const auto index = traffic.received.claim({event.sequence, event.length_bytes, event.process});
  if (!index) return pass_without_message(event);
  find_taken(traffic.sent, traffic.received, *index, &taken_);
  if (taken_.empty()) return pass_without_message(event);
  const std::uint32_t set = waiting_set_[event.process.value];
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    const TakenMessage& taken = taken_[i];
    if (i > 0) wait_again(event, set, out_);
    Event message = event;
    message.peer = taken.sender;
    message.sequence = taken.first_byte;
    message.length_bytes = event_length(taken.length_bytes);
    if (length_ == ReceiveLength::as_received) message.length_bytes = bytes_until_next(traffic.received[*index], i);
    if (i > 0) message.passed_channel = {};
    if (taken.sender.is_none()) {
      pass_unsent(message, taken, traffic);
    } else {
      out_.push_back(message);
    }
  }
}

// Of what a RECEIVE took, the part that belongs to its message number `i`; the first includes what belongs to an
// earlier message.
std::uint32_t MessageResolver::bytes_until_next(const ByteRange& received, std::size_t i) const {
  const std::uint64_t begin = i == 0 ? received.offset : taken_[i].first_byte;
  const std::uint64_t end = i + 1 < taken_.size() ? taken_[i + 1].first_byte : received.end();
  return event_length(end - std::min(begin, end));
}

// Bytes whose sender was not seen: from outside, or from the sender of the bytes before them.
void MessageResolver::pass_unsent(Event message, const TakenMessage& taken, const ChannelTraffic& traffic) {
  message.peer = writer_of(message.channel);
  if (!traffic.writer.is_none()) {
    const std::size_t after = traffic.sent.first_after(taken.first_byte);
    if (after > 0) message.peer = traffic.sent[after - 1].process;
    message.evidence = Evidence::inferred;
    unsent_bytes_ += taken.length_bytes;
    ++unsent_messages_;
  }
  out_.push_back(message);
}

void MessageResolver::send_datagram(Event event, ChannelTraffic& traffic) {
  event.peer = traffic.datagrams->next_receiver(event.process);
  if (event.peer.is_none()) event.peer = reader_of(event.channel);
  out_.push_back(event);
}

void MessageResolver::receive_datagram(Event event, ChannelTraffic& traffic) {
  if (const auto arrival = traffic.datagrams->next_arrival(event.process)) {
    event.peer = arrival->sender;
    event.sequence = arrival->sequence;
    event.evidence = Evidence::inferred;
  } else {
    event.sequence = kUnsentNumbers + unsent_datagrams_++;
    if (event.peer.is_none()) event.peer = writer_of(event.channel);
    if (!traffic.writer.is_none()) ++unsent_messages_;
  }
  out_.push_back(event);
}

void MessageResolver::on_end(const LossReport& losses) {
  make_warnings();
  LossReport report = losses;
  report.warnings.insert(report.warnings.end(), warnings_.begin(), warnings_.end());
  next_->on_end(report);
}

void MessageResolver::make_warnings() {
  std::uint64_t matched = 0, lost = 0;
  for (const auto& traffic : survey_.channels()) {
    if (traffic.datagrams == nullptr) continue;
    matched += traffic.datagrams->matched();
    lost += traffic.datagrams->lost();
  }
  warnings_ = outside_->notes();
  const auto say = [this](const std::string& what, std::uint64_t number, const std::string& more = "") {
    if (number > 0) warnings_.push_back(fmt::format("{}: {}{}", what, number, more));
  };
  say("datagrams matched by order and size", matched);
  say("datagrams sent and not received, though later ones were", lost);
  say("bytes that passed the meter unseen (GAP)", survey_.gap_bytes());
  say("datagrams that do not agree with the kernel's counts (GAP)", survey_.gap_datagrams());
  say("messages from metered processes that were not seen sending them", unsent_messages_,
      fmt::format(" ({} bytes of streams)", unsent_bytes_));
  say("operations on streams that claim bytes which others claim too", survey_.contradictions(),
      " (the trace is damaged, or threads used a socket at the same instant)");
}

}  // namespace dpm
