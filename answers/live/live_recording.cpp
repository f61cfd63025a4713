#include "answers/live/live_recording.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace dpm::cli {

LiveRecording::LiveRecording(FollowedEvents events, LevelsOptions options)
    : events_(std::make_unique<FollowedEvents>(std::move(events))), levels_(std::make_unique<LevelsAnalysis>(options)) {
  levels_->on_begin(events_->info());
}

Result<LiveRecording> LiveRecording::open(const std::string& path, LevelsOptions options) {
  auto events = FollowedEvents::open(path);
  if (!events) return events.error();
  return LiveRecording(*std::move(events), options);
}

LiveRecording::LiveRecording(std::unique_ptr<const LevelsAnalysis> whole, TraceInfo info, Ledger ledger,
                             std::vector<Event> events)
    : whole_(std::move(whole)), whole_info_(std::move(info)), kept_(std::move(events)), ledger_(std::move(ledger)) {}

bool LiveRecording::read(std::uint64_t events_max) {
  if (whole_ != nullptr) return false;
  const auto take = [this](std::span<const Event> batch) {
    index_.add(events_->place(), batch);
    levels_->on_events(batch);
  };
  const bool more = events_->read(take, events_max);
  levels_->settle_offsets();
  return more;
}

void LiveRecording::use(std::unique_ptr<const LevelsAnalysis> whole, TraceInfo info) {
  whole_ = std::move(whole);
  levels_.reset();
  whole_info_ = std::move(info);
}

void LiveRecording::use_queues(std::shared_ptr<const QueueLevels> queues, RunTime until) {
  queues_ = std::move(queues);
  queues_until_ = until;
}

std::optional<LiveRecording::Window> LiveRecording::events_of(RunTime from, RunTime to, std::uint64_t events_max) {
  if (!events_) return kept_inside(from, to) > events_max ? std::nullopt : std::optional(kept_events_of(from, to));
  const MachineOffsets& offsets = levels().offsets();
  const PacketTimes::Found found = index_.find(from, to, offsets);
  if (found.events > events_max) return std::nullopt;
  Window window;
  for (const PacketPlace& place : found.places)
    events_->read_again(place, [&](std::span<const Event> batch) {
      for (const Event& event : batch) {
        if (!offsets.has(event.machine)) continue;
        const RunTime at = offsets.run_time(event.machine, event.local_time);
        window.events.push_back(event);
        window.times_ns.push_back(at.ns);
        window.inside += at >= from && at < to;
      }
    });
  return window;
}

std::uint64_t LiveRecording::kept_inside(RunTime from, RunTime to) const {
  const MachineOffsets& offsets = levels().offsets();
  return static_cast<std::uint64_t>(std::count_if(kept_.begin(), kept_.end(), [&](const Event& event) {
    if (!offsets.has(event.machine)) return false;
    const RunTime at = offsets.run_time(event.machine, event.local_time);
    return at >= from && at < to;
  }));
}

// With as much time before and after, where the other ends of messages are, and the event before and after that of each
// process, which says what it did meanwhile.
LiveRecording::Window LiveRecording::kept_events_of(RunTime from, RunTime to) const {
  const MachineOffsets& offsets = levels().offsets();
  const std::int64_t margin_ns = to.ns - from.ns;
  const RunTime near_from{from.ns - margin_ns}, near_to{to.ns + margin_ns};
  Window window;
  std::map<ProcessId, std::size_t> before;
  std::set<ProcessId> is_after;
  const auto add = [&](const Event& event) {
    window.events.push_back(event);
    window.times_ns.push_back(offsets.run_time(event.machine, event.local_time).ns);
  };
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    const Event& event = kept_[i];
    if (!offsets.has(event.machine)) continue;
    const RunTime at = offsets.run_time(event.machine, event.local_time);
    if (at < near_from) {
      before[event.process] = i;
      continue;
    }
    const auto last = before.find(event.process);
    if (last != before.end()) add(kept_[last->second]), before.erase(last);
    window.inside += at >= from && at < to;
    if (at < near_to || is_after.insert(event.process).second) add(event);
  }
  return window;
}

}  // namespace dpm::cli
