// Reads a trace directory while it is written: what came since the last look. A trace that has ended is read in the same
// way, so that a viewer knows one case.
//
// Nothing in the directory is trusted, as with TraceReader. A packet that is not all there yet is read later; one that is
// damaged is passed over once a sound one follows, or the recorder has ended. The names of what events show are in info()
// before those events are delivered; what is not described yet is called "process 7" until it is.
//
// A recorder with a window removes the oldest segments, read or not. The file that is being read stays readable; what was
// removed before it was read is counted.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "model/event.hpp"
#include "model/ledger.hpp"
#include "model/result.hpp"
#include "model/trace_info.hpp"

namespace dpm {

// Some neighbouring packets of one stream file, to be read again. What --window has removed since is not there any more.
struct PacketPlace {
  std::uint32_t stream = 0;           // as the follower counts them
  std::uint64_t first = 0, last = 0;  // where the first and the last of them begin
};

class TraceFollower {
 public:
  using Deliver = std::function<void(std::span<const Event>)>;

  // `path` is a trace directory, or an output directory with one in it, which may be at its beginning.
  static Result<TraceFollower> open(const std::string& path);
  TraceFollower(TraceFollower&&) noexcept;
  TraceFollower& operator=(TraceFollower&&) noexcept;
  ~TraceFollower();

  // The tables only grow; a process may be renamed. The reference stays valid as long as the follower is not moved.
  const TraceInfo& info() const;

  // Delivers at most about `events_max` events in batches, those of one stream file in their order, and returns how many.
  // A smaller number means that no more events are there yet.
  std::uint64_t poll(const Deliver& deliver, std::uint64_t events_max);

  // During a call of `deliver`: where its batch is, which is one packet.
  PacketPlace place() const;

  // Delivers the events at this place again, each packet as a batch. What has been damaged since is left out. In a foreign
  // trace, messages without numbers have none.
  void read_again(const PacketPlace& place, const Deliver& deliver);

  // The recorder has ended, and everything that it wrote has been delivered.
  bool is_over() const;
  // Over, and the recorder did not write the end: it was killed.
  bool is_cut_off() const;
  // How much of what is on the disk has been delivered, by bytes: 0 to 1.
  double read_share() const;

  // seen = kept + filtered + lost. While the trace is recorded: what was delivered, what was removed before it was read, and
  // what damage cost. A warning tells of a viewer that is slower than the recorder: events of a stream were removed that came
  // after the first one that it read.
  const Ledger& ledger() const;

 private:
  struct State;
  explicit TraceFollower(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dpm
