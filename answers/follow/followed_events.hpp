// The events of a trace that may still be written, as viewers take them: a SEND has the receiver that is known by now.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "model/event.hpp"
#include "model/result.hpp"
#include "trace/trace_follower.hpp"

namespace dpm::cli {

// Offsets in streams do not say which messages were queued: only messages with numbers are counted.
bool has_queue_event(const Event& event, const TraceInfo& info);

class FollowedEvents {
 public:
  using Deliver = TraceFollower::Deliver;

  explicit FollowedEvents(TraceFollower follower) : follower_(std::move(follower)) {}
  static Result<FollowedEvents> open(const std::string& path);

  // Delivers what came since the last call, at most about `events_max` events. True: there may be more already.
  bool read(const Deliver& deliver, std::uint64_t events_max);
  void read_again(const PacketPlace& place, const Deliver& deliver);
  PacketPlace place() const { return follower_.place(); }

  // The reference stays valid as long as this is not moved. It grows with read().
  const TraceInfo& info() const { return follower_.info(); }
  const Ledger& ledger() const { return follower_.ledger(); }
  bool is_over() const { return follower_.is_over(); }
  bool is_cut_off() const { return follower_.is_cut_off(); }
  double read_share() const { return follower_.read_share(); }

 private:
  std::span<const Event> with_receivers(std::span<const Event> batch);

  TraceFollower follower_;
  std::vector<Event> batch_;
};

}  // namespace dpm::cli
