// A trace that may still be written, as the answers for the page need it: what was read is in levels, and its packets are
// in an index, so that the events of a small window can be read again.
//
// Memory: the levels' budget and the index's (both fixed), the trace's tables, and one packet.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/levels/levels.hpp"
#include "analysis/levels/queue_levels.hpp"
#include "answers/follow/followed_events.hpp"
#include "answers/live/packet_times.hpp"

namespace dpm::cli {

class LiveRecording {
 public:
  static constexpr std::uint64_t kSampleReadMost = 60'000;  // some milliseconds: requests wait for it

  static Result<LiveRecording> open(const std::string& path, LevelsOptions options = {});

  // A trace that has ended and was read as a whole, with all its events: nothing is read again.
  LiveRecording(std::unique_ptr<const LevelsAnalysis> whole, TraceInfo info, Ledger ledger, std::vector<Event> events);

  // Reads at most about `events_max` events. True: there may be more already.
  bool read(std::uint64_t events_max);

  // The trace has ended, and was read into levels by the reading that all other commands use: streams as messages, and
  // the processes outside. What follows is from these.
  void use(std::unique_ptr<const LevelsAnalysis> whole, TraceInfo info);

  // Queues of which the arrivals follow from the whole trace, as it was at that moment. While it is written, later
  // lengths are not known.
  void use_queues(std::shared_ptr<const QueueLevels> queues, RunTime until);
  const QueueLevels* queues() const { return queues_.get(); }
  RunTime queues_until() const { return queues_until_; }

  const TraceInfo& info() const { return whole_info_ ? *whole_info_ : events_->info(); }
  const TraceInfo& trace_info() const { return events_ ? events_->info() : *whole_info_; }  // for events_of()
  const LevelsAnalysis& levels() const { return whole_ ? *whole_ : *levels_; }
  const Ledger& ledger() const { return events_ ? events_->ledger() : ledger_; }
  bool is_over() const { return !events_ || events_->is_over(); }
  bool is_cut_off() const { return events_ && events_->is_cut_off(); }
  double read_share() const { return events_ ? events_->read_share() : 1; }
  RunTime now() const { return levels().offsets().last(); }
  bool is_empty() const { return levels().events() == 0; }

  struct Window {
    std::vector<Event> events;  // of each process in its order; also some around the window, from the same packets
    std::vector<std::int64_t> times_ns;
    std::uint64_t inside = 0;  // of them in the window
  };
  // Nothing if more than `events_max` events are in its packets.
  std::optional<Window> events_of(RunTime from, RunTime to, std::uint64_t events_max);

 private:
  LiveRecording(FollowedEvents events, LevelsOptions options);

  std::uint64_t kept_inside(RunTime from, RunTime to) const;
  Window kept_events_of(RunTime from, RunTime to) const;

  std::unique_ptr<FollowedEvents> events_;  // the levels keep a reference to its tables; none: all are in `kept_`
  std::unique_ptr<LevelsAnalysis> levels_;  // until there is `whole_`
  PacketTimes index_;
  std::unique_ptr<const LevelsAnalysis> whole_;
  std::optional<TraceInfo> whole_info_;
  std::shared_ptr<const QueueLevels> queues_;
  RunTime queues_until_;
  std::vector<Event> kept_;
  Ledger ledger_;  // of these
};

}  // namespace dpm::cli
