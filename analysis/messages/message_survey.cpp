#include "analysis/messages/message_survey.hpp"

#include <algorithm>

#include "model/check.hpp"

namespace dpm {

namespace {

// Ids are assigned in the order of first sight; none is the largest.
void note_first(ProcessId& first, ProcessId process) { first = std::min(first, process); }

}  // namespace

bool has_live_channels(const TraceInfo& info) {
  return std::any_of(info.channels.begin(), info.channels.end(),
                     [](const auto& channel) { return channel.kind != ChannelKind::numbered; });
}

void MessageSurvey::on_begin(const TraceInfo& info) { info_ = &info; }

// Null for channels whose messages are numbered.
ChannelTraffic* MessageSurvey::traffic(ChannelId channel) {
  if (channel.value >= info_->channels.size()) return nullptr;
  if ((*info_)[channel].kind == ChannelKind::numbered) return nullptr;
  if (channel.value >= channels_.size()) {
    channels_.resize(info_->channels.size());
    holders_.resize(info_->channels.size());
  }
  return &channels_[channel.value];
}

void MessageSurvey::note_holder(ProcessId process, ChannelId writes, ChannelId reads) {
  if (traffic(writes) != nullptr) note_first(holders_[writes.value].of_writing, process);
  if (traffic(reads) != nullptr) note_first(holders_[reads.value].of_reading, process);
}

void MessageSurvey::note_message(const Event& event, ChannelTraffic& traffic) {
  const bool sends = event.type == EventType::send;
  note_first(sends ? traffic.writer : traffic.reader, event.process);
  if ((*info_)[event.channel].kind == ChannelKind::stream) {
    ByteRanges& ranges = sends ? traffic.sent : traffic.received;
    if (!ranges.add({event.sequence, event.length_bytes, event.process})) ++contradictions_;
    return;
  }
  if (traffic.datagrams == nullptr) traffic.datagrams = std::make_unique<Datagrams>();
  sends ? traffic.datagrams->send(event) : traffic.datagrams->receive(event);
}

void MessageSurvey::on_events(std::span<const Event> batch) {
  DPM_CHECK(info_ != nullptr);
  for (const Event& event : batch) {
    if (event.process.is_none()) continue;
    switch (event.type) {
      case EventType::send:
      case EventType::receive:
        if (auto* used = traffic(event.channel)) note_message(event, *used);
        break;
      case EventType::receive_call:
        if (event.code < info_->channel_sets.size())
          for (const ChannelId channel : info_->channel_sets[event.code]) note_holder(event.process, {}, channel);
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
        if (traffic(event.channel) != nullptr && (*info_)[event.channel].kind == ChannelKind::datagram)
          gap_datagrams_ += event.sequence;
        event.code == 0 ? note_holder(event.process, event.channel, {}) : note_holder(event.process, {}, event.channel);
        break;
      default:
        break;
    }
  }
}

void MessageSurvey::on_end(const LossReport&) {
  for (std::uint32_t c = 0; c < channels_.size(); ++c) {
    ChannelTraffic& traffic = channels_[c];
    contradictions_ += traffic.sent.resolve_overlaps() + traffic.received.resolve_overlaps();
    if (traffic.datagrams != nullptr) traffic.datagrams->match();
    if (traffic.writer.is_none()) traffic.writer = holders_[c].of_writing;
    if (traffic.reader.is_none()) traffic.reader = holders_[c].of_reading;
    if (traffic.reader.is_none()) traffic.reader = info_->channels[c].owner;
  }
  info_ = nullptr;
}

}  // namespace dpm
