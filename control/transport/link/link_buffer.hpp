// The events that the collector has not confirmed yet, and the meter's end of the meter protocol (frames/meter_frames.hpp).
// Takes and returns frames, without sockets, time or threads: tests break connections in every way without having one.
//
//      confirmed │ in memory, sent │ in memory, not sent │ in the spool │ next event
//     ───────────┴─────────────────┴─────────────────────┴──────────────┘
//
// The oldest events wait in memory, up to a bound. Later ones go to the spool, and from there to memory as it gets room.
// When both are full, no more is taken: the caller waits, or counts a loss.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "control/transport/frames/meter_frames.hpp"
#include "control/transport/link/names_store.hpp"
#include "control/transport/link/spool.hpp"
#include "model/event.hpp"
#include "trace/meter_names.hpp"

namespace dpm {

class LinkBuffer {
 public:
  // `names` keeps confirmed names, for another collector that needs them.
  LinkBuffer(wire::MeterKey key, MeterIdentity identity, std::size_t memory_events_max, Spool spool, NamesStore names);

  // ---- from the meter

  // Each addition once, before the events that use it.
  void tell(const TraceGrowth& growth);
  // Returns how many were taken.
  std::size_t append(std::span<const Event> events);
  // The end. `account`: what the meter saw and lost; `delivered` stays 0.
  void end(MeterAccount account);

  // ---- to and from a collector

  std::string greeting();                           // the first frame of a new connection
  Result<void> take(Frame frame);                   // a received frame; an error if it breaks the protocol
  bool produce(std::string& out, std::size_t max);  // appends about `max` bytes of frames; false: none

  // ---- state

  std::uint64_t recorded() const { return next_; }        // events taken
  std::uint64_t confirmed() const { return confirmed_; }  // passed to a filter's standard input
  std::uint64_t waiting() const { return next_ - confirmed_; }
  std::uint64_t unsent() const { return next_ - sent_; }
  std::uint64_t spooled() const { return next_ - memory_end_; }
  bool has_room() const { return memory_end_ == next_ && memory_end_ - confirmed_ < memory_max_; }
  bool is_resumed() const { return resumed_; }
  bool is_complete() const { return over_confirmed_; }             // the collector has confirmed everything
  const std::string& filter_gone() const { return filter_gone_; }  // why; empty while it is there
  const std::string& spool_problem() const { return spool_.problem(); }
  const wire::MeterKey& key() const { return key_; }
  const MeterIdentity& identity() const { return identity_; }

  // Removes the events that no collector will get, and returns them piece by piece as the stream of one meter
  // (trace/meter_stream.hpp); nothing at the end.
  std::optional<std::string> take_remaining();

 private:
  Result<void> on_resume(const wire::Resume& resume);
  Result<void> on_ack(const wire::Ack& ack);
  void keep_names(std::uint64_t number);
  void tell_all_names_again();
  void confirm(std::uint64_t events);
  void refill();
  MeterMessage& slot(std::uint64_t number) { return memory_[number % memory_max_]; }

  wire::MeterKey key_;
  MeterIdentity identity_;
  std::size_t memory_max_;
  std::unique_ptr<MeterMessage[]> memory_;
  Spool spool_;
  std::uint64_t confirmed_ = 0, sent_ = 0, memory_end_ = 0, next_ = 0;  // numbers of events, as in the picture

  TableSizes told_;
  NamesStore confirmed_names_;
  std::deque<std::string> names_;  // not confirmed
  std::uint64_t names_first_ = 0;  // number of the first of them
  std::size_t names_sent_ = 0;     // of them, on this connection
  std::optional<MeterAccount> account_;
  bool resumed_ = false, over_sent_ = false, over_confirmed_ = false;
  bool remaining_begun_ = false, remaining_ended_ = false;
  std::string filter_gone_;
};

}  // namespace dpm
