// How a process sends and receives.
//
//   SEND      charge the sender's CPU, record SEND, hand over to the delivery: all at one instant, so that
//             arrival = time of the SEND + delivery time
//   RECEIVE   record RECEIVECALL, wait, take the message, charge the receiver's CPU, record RECEIVE
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "backends/sim/call_frame.hpp"
#include "model/message_calls.hpp"

namespace dpm::sim {

class Messages {
 public:
  Messages(Simulation& simulation, Process& process, CallFrame& frame)
      : simulation_(simulation), process_(process), frame_(frame) {}

  void send(LinkIndex to, const OutgoingMessage& message) { transmit(packet_for(to, message)); }
  // Nothing only if `until` has come first. What arrives at that very moment is taken.
  std::optional<Message> receive(const Selection& selection, std::optional<TrueTime> until = std::nullopt);
  std::optional<Message> receive_if_arrived(const Selection& selection);
  // The replies in the order in which they come; fewer than calls only if `until` has come first.
  std::vector<Message> call(std::span<const std::pair<LinkIndex, OutgoingMessage>> calls,
                            std::optional<TrueTime> until);
  void reply(const Message& request, const OutgoingMessage& answer);

  // The events of the next meter message, for a filter.
  std::vector<Event> receive_meter_message();

 private:
  Packet& packet_for(LinkIndex to, const OutgoingMessage& message);
  void pass_link(Packet& packet, LinkIndex index);
  void transmit(Packet& packet);
  void collect_wanted(const Selection& selection);
  void record_receive_call();
  Packet* take_waiting(const Selection& selection);
  Message finish_receive(Packet& packet);

  Simulation& simulation_;
  Process& process_;
  CallFrame& frame_;
  std::vector<Channel*> wanted_;  // by the receive going on
  std::uint64_t empty_polls_ = 0;
  TrueTime first_empty_poll_;
};

}  // namespace dpm::sim
