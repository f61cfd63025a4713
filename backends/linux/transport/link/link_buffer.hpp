// What a meter has recorded and its filter's collector has not yet confirmed, and the meter's part of what they say to
// each other (wire/meter_frames.hpp). Knows nothing of sockets, time or threads: bytes of frames in, bytes of frames
// out, so that every way in which connections can break is tested without any.
//
//      confirmed │ in memory, sent │ in memory, not sent │ in the spool │ next event
//     ───────────┴─────────────────┴─────────────────────┴──────────────┘
//
// The oldest wait in memory, up to a bound; what comes then goes to the spool, and from there to memory as this gets
// room. What finds room in neither is not taken: the caller waits, or counts it as lost.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "backends/linux/transport/frames/meter_frames.hpp"
#include "backends/linux/transport/link/names_store.hpp"
#include "backends/linux/transport/link/spool.hpp"
#include "model/event.hpp"
#include "trace/meter_names.hpp"

namespace dpm {

class LinkBuffer {
 public:
  // `names` keeps names that were confirmed, for a collector that has to be told them again.
  LinkBuffer(wire::MeterKey key, MeterIdentity identity, std::size_t memory_events_max, Spool spool, NamesStore names);

  // ---- from the meter

  // What has become known, each addition once; call before the events that use it.
  void tell(const TraceGrowth& growth);
  // Returns how many were taken.
  std::size_t append(std::span<const Event> events);
  // Nothing follows. `account` says what the meter saw and lost; `delivered` is left 0.
  void end(MeterAccount account);

  // ---- to and from a collector

  std::string greeting();                           // on a new connection, first
  Result<void> take(Frame frame);                   // what came; an error: the other end breaks the protocol
  bool produce(std::string& out, std::size_t max);  // appends frames of about that many bytes; false: nothing to say

  // ---- how it stands

  std::uint64_t recorded() const { return next_; }        // events taken
  std::uint64_t confirmed() const { return confirmed_; }  // passed to a filter's standard input
  std::uint64_t waiting() const { return next_ - confirmed_; }
  std::uint64_t unsent() const { return next_ - sent_; }
  std::uint64_t spooled() const { return next_ - memory_end_; }
  bool has_room() const { return memory_end_ == next_ && memory_end_ - confirmed_ < memory_max_; }
  bool is_resumed() const { return resumed_; }
  bool is_settled() const { return over_confirmed_; }              // everything is where it belongs
  const std::string& filter_gone() const { return filter_gone_; }  // why, if it is
  const std::string& spool_problem() const { return spool_.problem(); }
  const wire::MeterKey& key() const { return key_; }
  const MeterIdentity& identity() const { return identity_; }

  // Events that no collector will have any more, as the stream of one meter (trace/meter_stream.hpp), piece by piece:
  // nothing when that was all. Takes them out.
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
