#include "cli/live/live_recording.hpp"

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

std::optional<LiveRecording::Window> LiveRecording::events_of(RunTime from, RunTime to, std::uint64_t events_max) {
  const MachineOffsets& offsets = levels().offsets();
  const PacketIndex::Found found = index_.find(from, to, offsets);
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

}  // namespace dpm::cli
