// The flows that exist, and what is known of their ends. A flow is one direction of a connection, a pipe, or what is
// sent to a datagram socket. A channel id is never used twice; when a flow is removed from the table, its channel stays
// described in the trace.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "backends/linux/calls/call.hpp"
#include "backends/linux/calls/kernel_checks.hpp"
#include "backends/linux/calls/record_output.hpp"
#include "backends/linux/calls/stream_balance.hpp"
#include "backends/linux/calls/stream_position.hpp"
#include "backends/linux/calls/told_offset.hpp"
#include "backends/linux/calls/unreceived_datagrams.hpp"

namespace dpm {

// The thread that used one end of a flow last. It may have ended since.
struct EndUser {
  ProcessId id;
  std::uint32_t tid = 0;
  std::uint64_t call_number = 0;  // MeteredThread::call_number, when it did
  std::int32_t descriptor = -1;
};

struct Flow {
  ChannelId channel;
  ChannelKind kind = ChannelKind::stream;
  bool exact = false;         // the kernel tells the offsets
  bool counts_units = false;  // an eventfd
  bool is_pipe = false;
  bool may_be_urgent = false;   // a byte of it was sent or taken as urgent
  bool pair_announced = false;  // the four messages of its socketpair() have been recorded
  bool passed_by = false;       // operations were not seen: Meter::align() is due
  bool removed = false;         // waits to be freed: nothing more is recorded of it
  StreamPosition sent, received;
  ToldOffset sent_told, received_told;
  StreamBalance balance;
  std::optional<PartialSend> partial;  // the last send, while its length is not known
  EndUser sender, receiver;
  std::uint64_t sends = 0, receives = 0;            // recorded so far
  std::uint64_t ahead_units = 0, owed_units = 0;    // of an eventfd: Meter::settle_units()
  ChannelEnd to;                                    // of UDP: where it leads
  std::uint64_t datagrams = 0;                      // sent so far
  std::unique_ptr<UnreceivedDatagrams> unreceived;  // of a name to which several sockets may send
  ProcessId reader;                                 // the first one seen
  std::uint32_t channel_set = 0;                    // the set of this channel alone; 0: not made yet
  std::uint64_t sender_id = 0, receiver_id = 0;     // the sockets at its ends, as far as seen
  std::uint32_t sockets = 0;                        // described sockets that point here
  std::string key;                                  // of Conversations::by_key_
  std::uint64_t last_used = 0;                      // datagrams: grows with each use of any
};

inline StreamPosition& position_of(const FlowEnd& end) { return end.sending ? end.flow->sent : end.flow->received; }

class FlowTable {
 public:
  FlowTable(TraceGrowth& growth, KernelChecks& checks) : growth_(growth), checks_(checks) {}

  // `described`: what is known of the channel before it is used.
  Flow& add(ChannelInfo described);
  const Flow* find(ChannelId channel) const;
  // The socket was seen at this end of the flow.
  void stands_at(Flow& flow, bool sending, std::uint64_t socket, ChannelEnd end);
  std::uint32_t channel_set_of(Flow& flow);
  void reader_is(Flow& flow, ProcessId reader);

  // Finishes the flow's open operations. The flow lives until free_removed(), because threads may point to it.
  void remove(Flow& flow);
  bool has_removed() const { return !removed_.empty(); }
  void free_removed();
  // Calls were made that the meter did not see: every open operation moved what it probably would.
  void were_passed_by();
  // Nothing more is recorded of any flow.
  void check_all() const;
  bool has_unchecked_tcp() const;
  template <typename Handle>
  void for_each(Handle&& handle) {
    for (const auto& [channel, flow] : flows_) handle(*flow);
  }

  std::size_t size() const { return flows_.size(); }  // without those that wait to be freed

 private:
  TraceGrowth& growth_;
  KernelChecks& checks_;
  std::unordered_map<std::uint32_t, std::unique_ptr<Flow>> flows_;  // by channel
  std::vector<std::unique_ptr<Flow>> removed_;
  std::uint32_t channels_ = 0, channel_sets_ = 1;  // given out; set 0 is "any"
};

}  // namespace dpm
