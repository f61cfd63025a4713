#include "analysis/messages/streamed_queues.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "model/metered_cpu.hpp"

namespace dpm {
namespace {

constexpr LocalTime kNever{std::int64_t{1} << 62};

}  // namespace

void StreamedQueues::on_begin(const TraceInfo& rows) {
  rows_ = &rows;
  queues_.on_begin(rows);
}

ProcessId StreamedQueues::queue_of(ProcessId row) const {
  if (row.value >= rows_->processes.size()) return row;
  const ProcessId group = (*rows_)[row].group;
  return group.is_none() ? row : group;
}

StreamedQueues::Queue& StreamedQueues::queue_at(ProcessId row) {
  if (row.value >= all_.size()) all_.resize(row.value + 1u);
  return all_[row.value];
}

void StreamedQueues::on_performed(std::span<const Event> batch) {
  for (const Event& event : batch) {
    Queue& queue = queue_at(queue_of(event.process));
    if (queue.machine.is_none()) {
      queue.machine = event.machine;
      queue.first = queue.last = event.local_time;
      queue.played_until = {INT64_MIN};
    }
    queue.first = std::min(queue.first, event.local_time);
    queue.last = std::max(queue.last, event.local_time);
    if (!event.has_ready_time()) continue;
    std::deque<ThreadMoment>& moments = moments_[event.process.value];
    if (moments.empty() || event.local_time >= moments.back().time)
      moments.push_back({event.local_time, event.proc_time_ns, event.ready_time_ns, event.disk_time_ns});
  }
}

void StreamedQueues::on_messages(std::span<const Event> batch) {
  using Key = std::tuple<ProcessId, ChannelId, std::uint64_t>;
  std::map<Key, std::pair<ProcessId, std::size_t>> arrivals;  // of this batch: both ends of a message are in one
  for (const Event& event : batch) {
    if ((event.flags & (event_flags::kKernelMessage | event_flags::kNoMessage)) != 0) continue;
    const Key sent{event.process, event.channel, event.sequence}, received{event.peer, event.channel, event.sequence};
    if (event.type == EventType::send && !event.peer.is_none() && messages_.is_live(event.channel)) {
      const ProcessId row = queue_of(event.peer);
      Queue& queue = queue_at(row);
      if (queue.machine.is_none() || queue.machine != event.machine) continue;  // outside, or by another clock
      arrivals[sent] = {row, queue.notes.size()};
      queue.notes.push_back(
          {event.local_time, What::queued, event.process, event.channel, event.sequence, event.machine, {}});
      ++notes_;
    } else if (event.type == EventType::receive) {
      const ProcessId row = queue_of(event.process);
      Queue& queue = queue_at(row);
      if (const auto arrival = arrivals.find(received); arrival != arrivals.end()) {
        Queue& there = queue_at(arrival->second.first);
        Note& note = there.notes[arrival->second.second];
        note.time =
            std::min(note.time, event.local_time);  // it arrived before it was received, even if the clock was set
        note.taker = event.process;
      }
      queue.notes.push_back(
          {event.local_time, What::received, event.peer, event.channel, event.sequence, event.machine, event.process});
      ++notes_;
    }
  }
}

void StreamedQueues::play() {
  const auto oldest = messages_.oldest_by_queue();
  for (std::uint32_t row = 0; row < all_.size(); ++row) {
    Queue& queue = all_[row];
    if (queue.notes.empty()) continue;
    const auto waits = oldest.find(row);
    play_queue({row}, queue, waits == oldest.end() ? queue.last : std::min(waits->second, queue.last));
  }
  if (notes_ > kNotesMost)
    for (std::uint32_t row = 0; row < all_.size(); ++row) {
      std::vector<Note>& notes = all_[row].notes;
      if (notes.size() < 2) continue;
      const auto middle = notes.begin() + static_cast<std::ptrdiff_t>(notes.size() / 2);
      std::nth_element(notes.begin(), middle, notes.end(),
                       [](const Note& a, const Note& b) { return a.time < b.time; });
      play_queue({row}, all_[row], middle->time);
    }
  forget_moments();
  pass_on();
}

// What is earlier than `until`.
void StreamedQueues::play_queue(ProcessId row, Queue& queue, LocalTime until) {
  const auto later = std::stable_partition(queue.notes.begin(), queue.notes.end(),
                                           [&](const Note& note) { return note.time < until; });
  std::vector<Note> now(queue.notes.begin(), later);
  if (now.empty()) return;
  queue.notes.erase(queue.notes.begin(), later);
  notes_ -= now.size();
  std::sort(now.begin(), now.end(), [](const Note& a, const Note& b) {
    return std::tie(a.machine, a.time, a.what, a.sender, a.channel, a.sequence) <
           std::tie(b.machine, b.time, b.what, b.sender, b.channel, b.sequence);
  });
  if (!queue.is_begun && !queue.machine.is_none()) {
    queue.is_begun = true;
    Event first;
    first.type = EventType::receive_call;
    first.process = row;
    first.machine = queue.machine;
    first.local_time = std::min(queue.first, now.front().time);
    out_.push_back(first);
  }
  for (Note& note : now) {
    late_ += note.time < queue.played_until ? 1 : 0;
    note.time = std::max(note.time, queue.played_until);
    queue.played_until = note.time;
    add(row, note);
  }
}

void StreamedQueues::add(ProcessId process, const Note& note) {
  Event& event = out_.emplace_back();
  event.process = process;
  event.machine = note.machine;
  event.local_time = note.time;
  event.type = note.what == What::received ? EventType::receive : EventType::message_queued;
  event.peer = note.sender;
  event.channel = note.channel;
  event.sequence = note.sequence;
  event.evidence = Evidence::inferred;
  if (const auto moments = moments_.find(note.taker.value); moments != moments_.end())
    fill_in_times(event, moments->second, was_acquired(*rows_, note.taker));
}

// Nothing before what its queue has played is asked for again.
void StreamedQueues::forget_moments() {
  for (auto& [row, moments] : moments_) {
    const Queue& queue = queue_at(queue_of(ProcessId{row}));
    LocalTime needed = queue.last;
    for (const Note& note : queue.notes) needed = std::min(needed, note.time);
    needed = std::min(needed, std::max(queue.played_until, queue.first));
    while (moments.size() > 2 && moments[1].time < needed) moments.pop_front();
    constexpr std::size_t kMomentsMost = 8192;
    while (moments.size() > kMomentsMost) moments.pop_front();
  }
}

void StreamedQueues::pass_on() {
  if (!out_.empty()) queues_.on_events(out_);
  out_.clear();
}

void StreamedQueues::on_end(const LossReport& losses) {
  for (std::uint32_t row = 0; row < all_.size(); ++row) {
    Queue& queue = all_[row];
    play_queue({row}, queue, kNever);
    if (!queue.is_begun) continue;
    Event last;
    last.type = EventType::receive_call;
    last.process = {row};
    last.machine = queue.machine;
    last.local_time = std::max(queue.last, queue.played_until);
    out_.push_back(last);
  }
  pass_on();
  queues_.on_end(losses);
}

}  // namespace dpm
