#include "scheduling/window/sliding_window.hpp"

#include <algorithm>
#include <numeric>

#include "analysis/messages/message_resolver.hpp"
#include "model/check.hpp"
#include "model/metered_cpu.hpp"

namespace dpm {
namespace {

constexpr std::uint64_t kNotSeen = UINT64_MAX;

}  // namespace

void SlidingWindow::set_now(Duration now) {
  DPM_CHECK(now >= now_);
  now_ = now;
  while (!entries_.empty() && now_ - entries_.front().came >= limits_.length) drop_first();
  begin_ = std::max(begin_, now_ - limits_.length);
}

void SlidingWindow::on_events(std::span<const Event> batch) {
  for (const Event& event : batch) {
    if (event.process.is_none()) continue;
    add(event);
    if (entries_.size() <= limits_.events_max) continue;
    begin_ = std::max(begin_, entries_.front().came);
    drop_first();
  }
}

// The CPU time before an event belongs to the window if the event before it does: a process that is seen for the first time
// has used an unknown part of its CPU time within the window.
void SlidingWindow::add(const Event& event) {
  if (loads_.size() <= event.process.value) {
    loads_.resize(event.process.value + 1);
    last_proc_time_ns_.resize(event.process.value + 1, kNotSeen);
  }
  ProcessLoad& load = loads_[event.process.value];
  std::uint64_t& last_ns = last_proc_time_ns_[event.process.value];
  const std::uint64_t used_ns =
      last_ns == kNotSeen ? 0 : cpu_between_ns(last_ns, event.proc_time_ns, was_acquired(*info_, event.process));
  last_ns = last_ns == kNotSeen ? event.proc_time_ns : std::max(last_ns, event.proc_time_ns);
  load.cpu_ns += used_ns;
  load.machine = event.machine;
  load.seen = true;
  const bool is_message = (event.flags & event_flags::kNoMessage) == 0;
  if (event.type == EventType::send && is_message) {
    ++load.sent;
    if (!event.peer.is_none()) {
      PairTraffic& pair = traffic_[{event.process, event.peer}];
      ++pair.messages;
      pair.bytes += event.length_bytes;
    }
  }
  if (event.type == EventType::message_queued) ++load.queue_length;
  if (event.type == EventType::receive && is_message) {
    ++load.received;
    ++received_;
    ++all_received_;
    all_received_bytes_ += event.length_bytes;
    if (load.queue_length > 0) --load.queue_length;
  }
  if (event.type == EventType::destroy_process) load.alive = false;
  if (event.type == EventType::start_process) load.alive = true;
  entries_.push_back({event, now_, used_ns});
}

void SlidingWindow::drop_first() {
  const Event& event = entries_.front().event;
  ProcessLoad& load = loads_[event.process.value];
  load.cpu_ns -= entries_.front().used_ns;
  const bool is_message = (event.flags & event_flags::kNoMessage) == 0;
  if (event.type == EventType::send && is_message) {
    --load.sent;
    if (!event.peer.is_none()) {
      const auto pair = traffic_.find({event.process, event.peer});
      pair->second.bytes -= event.length_bytes;
      if (--pair->second.messages == 0) traffic_.erase(pair);
    }
  }
  if (event.type == EventType::receive && is_message) {
    --load.received;
    --received_;
  }
  entries_.pop_front();
}

void SlidingWindow::note_lost(std::uint64_t events) {
  if (events <= lost_) return;
  lost_ = events;
  lost_at_ = now_;
}

void SlidingWindow::begin_again() {
  while (!entries_.empty()) drop_first();
  begin_ = emptied_at_ = now_;
}

Result<History> SlidingWindow::history(EventRange range) const {
  DPM_CHECK(info_ != nullptr);
  TraceInfo info = *info_;
  for (std::size_t p = 0; p < info.processes.size(); ++p)
    if (p < loads_.size() && loads_[p].seen) info.processes[p].machine = loads_[p].machine;
  const bool is_live = has_live_channels(info);
  // The cores between which live processes wander have one clock, which says who slept when a message came.
  if (is_live)
    for (ProcessInfo& process : info.processes) process.machine = MachineId{0};
  const std::size_t first = std::min(range.first, entries_.size());
  const std::size_t count = std::min(range.count, entries_.size() - first);
  std::vector<std::uint32_t> order(entries_.size());
  std::iota(order.begin(), order.end(), 0);
  const auto time_of = [&](std::uint32_t entry) { return entries_[entry].event.local_time; };
  if (is_live) std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return time_of(a) < time_of(b); });
  std::vector<Event> events;
  events.reserve(count);
  CpuOfStretch cpu(info);
  for (std::size_t i = first; i < first + count; ++i) {
    events.push_back(entries_[order[i]].event);
    cpu.begin_here(events.back());
    // Wandering is not a migration.
    if (is_live) events.back().machine = info.processes[events.back().process.value].machine;
  }
  HistoryBuilder builder(Computation{.all_processes = true});
  const auto play = [&](EventSink& sink) {
    sink.on_begin(info);
    sink.on_events(events);
    sink.on_end({});
  };
  if (is_live) {
    MessageSurvey survey;
    play(survey);
    MessageResolver resolver(std::move(survey), builder);
    play(resolver);
  } else {
    play(builder);
  }
  return builder.take();
}

}  // namespace dpm
