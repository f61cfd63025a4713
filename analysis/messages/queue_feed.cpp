#include "analysis/messages/queue_feed.hpp"

#include <algorithm>
#include <tuple>

#include "analysis/messages/message_survey.hpp"
#include "model/check.hpp"
#include "model/metered_cpu.hpp"

namespace dpm {
namespace {

constexpr std::size_t kBatchEvents = 4096;

}  // namespace

void QueueFeed::on_begin(const TraceInfo& info) {
  info_ = &info;
  const bool any_threads = std::any_of(info.processes.begin(), info.processes.end(),
                                       [](const auto& process) { return !process.group.is_none(); });
  const bool any_memory = std::any_of(info.channels.begin(), info.channels.end(),
                                      [](const auto& channel) { return channel.medium == ChannelMedium::memory; });
  passes_through_ = !has_live_channels(info) && !any_memory && (by_thread_ || !any_threads);
  present_.resize(info.processes.size());
  moments_.resize(info.processes.size());
  queues_->on_begin(info);
}

ProcessId QueueFeed::queue_of(ProcessId process) const {
  if (by_thread_ || process.value >= info_->processes.size()) return process;
  const ProcessId group = (*info_)[process].group;
  return group.value < info_->processes.size() ? group : process;
}

void QueueFeed::on_events(std::span<const Event> batch) {
  DPM_CHECK(info_ != nullptr);
  if (passes_through_) return queues_->on_events(batch);
  for (const Event& event : batch) {
    if (event.process.value >= present_.size()) continue;
    note_presence(event);
    note_moment(event);
    if ((event.flags & (event_flags::kKernelMessage | event_flags::kNoMessage)) == 0) note_message(event);
  }
}

void QueueFeed::note_presence(const Event& event) {
  Presence& present = present_[queue_of(event.process).value];
  if (present.machine.is_none()) present = {event.local_time, event.local_time, event.machine};
  if (present.machine != event.machine) return;  // another machine has another clock
  present.first = std::min(present.first, event.local_time);
  present.last = std::max(present.last, event.local_time);
}

void QueueFeed::note_moment(const Event& event) {
  if (!event.has_ready_time()) return;
  std::vector<ThreadMoment>& moments = moments_[event.process.value];
  if (!moments.empty() && event.local_time < moments.back().time) return;  // the clock was set back
  moments.push_back({event.local_time, event.proc_time_ns, event.ready_time_ns, event.disk_time_ns});
}

void QueueFeed::note_message(const Event& event) {
  Note note{event.sequence, event.local_time, event.peer, queue_of(event.process),
            event.channel,  event.machine,    {},         {}};
  switch (event.type) {
    case EventType::message_queued:
      note.what = What::queued;
      break;
    case EventType::receive:
      note.what = What::received;
      note.taker = event.process;
      break;
    case EventType::send:
      if (event.peer.is_none() || event.channel.is_none()) return;
      // Elsewhere a numbered message's arrival is metered. What is handed over in memory arrives as it is given.
      if ((*info_)[event.channel].kind == ChannelKind::numbered &&
          (*info_)[event.channel].medium != ChannelMedium::memory)
        return;
      note.what = What::sent;
      note.sender = event.process;
      note.receiver = queue_of(event.peer);
      break;
    default:
      return;
  }
  if (note.receiver.value < present_.size()) notes_.push_back(note);
}

// Leaves one note of each message's arrival, if that is known, and one of its RECEIVE.
void QueueFeed::pair_ends() {
  const auto key = [](const Note& note) { return std::tie(note.sender, note.channel, note.sequence); };
  std::sort(notes_.begin(), notes_.end(), [&](const Note& a, const Note& b) {
    return key(a) < key(b) || (key(a) == key(b) && std::tie(a.what, a.time) < std::tie(b.what, b.time));
  });
  std::vector<Note> kept;
  for (std::size_t first = 0, after = 0; first < notes_.size(); first = after) {
    while (after < notes_.size() && key(notes_[after]) == key(notes_[first])) ++after;
    Note arrival = notes_[first];
    const Note& last = notes_[after - 1];
    const bool is_received = last.what == What::received;
    if (is_received) kept.push_back(last);
    if (arrival.what == What::received) continue;
    const Presence& receiver = present_.at(arrival.receiver.value);
    const MachineId there = is_received ? last.machine : receiver.machine;
    if (there.is_none() || arrival.machine != there) continue;
    // It arrived before it was received, even if the clock was set.
    if (is_received) arrival.time = std::min(arrival.time, last.time);
    if (is_received) arrival.receiver = last.receiver;
    if (is_received) arrival.taker = last.taker;
    arrival.what = What::queued;
    kept.push_back(arrival);
  }
  notes_ = std::move(kept);
}

void QueueFeed::play() {
  std::sort(notes_.begin(), notes_.end(), [](const Note& a, const Note& b) {
    return std::tie(a.receiver, a.machine, a.time, a.what, a.sender, a.channel, a.sequence) <
           std::tie(b.receiver, b.machine, b.time, b.what, b.sender, b.channel, b.sequence);
  });
  std::vector<Event> events;
  const auto pass_on = [&] {
    queues_->on_events(events);
    events.clear();
  };
  const auto add = [&](ProcessId process, MachineId machine, LocalTime time, EventType type) -> Event& {
    if (events.size() == kBatchEvents) pass_on();
    Event& event = events.emplace_back();
    event.process = process;
    event.machine = machine;
    event.local_time = time;
    event.type = type;
    return event;
  };
  for (std::size_t first = 0, after = 0; first < notes_.size(); first = after) {
    const ProcessId receiver = notes_[first].receiver;
    const Presence present = present_.at(receiver.value);
    // Its first and last event delimit how long the queue was watched.
    if (!present.machine.is_none())
      add(receiver, present.machine, std::min(present.first, notes_[first].time), EventType::receive_call);
    for (; after < notes_.size() && notes_[after].receiver == receiver; ++after) {
      const Note& note = notes_[after];
      Event& event = add(receiver, note.machine, note.time,
                         note.what == What::received ? EventType::receive : EventType::message_queued);
      event.peer = note.sender;
      event.channel = note.channel;
      event.sequence = note.sequence;
      event.evidence = Evidence::inferred;
      if (note.taker.value < moments_.size())
        fill_in_times(event, moments_[note.taker.value], was_acquired(*info_, note.taker));
    }
    if (!present.machine.is_none()) add(receiver, present.machine, present.last, EventType::receive_call);
  }
  pass_on();
}

// Of a part that takes others, before it does: their queues are played already.
void QueueFeed::play_all() {
  if (passes_through_) return;
  pair_ends();
  play();
  notes_.clear();
}

void QueueFeed::put_for(const Shares& shares, int /*round*/, std::vector<ByteWriter>& for_part) {
  std::vector<std::vector<Note>> notes(shares.parts());
  for (const Note& note : notes_) {
    const std::uint32_t part = shares.part_of(note.receiver);
    notes[part < shares.parts() ? part : shares.own()].push_back(note);
  }
  notes_ = std::move(notes[shares.own()]);
  notes[shares.own()].clear();
  for (std::uint32_t part = 0; part < shares.parts(); ++part) for_part[part].put(notes[part]);
}

void QueueFeed::take_from(const Shares& /*shares*/, int /*round*/, std::uint32_t /*part*/, ByteReader& in) {
  std::vector<Note> notes;
  in.get(notes);
  notes_.insert(notes_.end(), notes.begin(), notes.end());
}

void QueueFeed::give(ByteWriter& out) {
  DPM_CHECK(divided_ != nullptr);
  play_all();
  divided_->give(out);
}

void QueueFeed::take(ByteReader& in) {
  DPM_CHECK(divided_ != nullptr);
  divided_->take(in);
}

void QueueFeed::on_end(const LossReport& losses) {
  play_all();
  queues_->on_end(losses);
  info_ = nullptr;
}

}  // namespace dpm
