// How packets get from process to process, and what else happens at a time to come.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "backends/sim/calendar.hpp"
#include "backends/sim/network.hpp"
#include "backends/sim/packet.hpp"

namespace dpm::sim {

class Simulation;

class Delivery {
 public:
  explicit Delivery(Simulation& simulation);

  // Ends the run if the scenario allows no message more. To be called before anything counts a message or records its SEND.
  void end_if_none_may_be_sent();
  // Hands over a packet sent now. It arrives after the delay of its class, never before an earlier one of the same
  // pair.
  void send(Packet& packet);
  void send_meter_message(Machine& from, std::uint16_t filter, std::vector<Event>& events);
  // Before the messages that arrive at that moment.
  void at(TrueTime when, std::function<void()> action);
  // Behind them.
  void after_messages_at(TrueTime when, std::function<void()> action);
  // Of what arrives like a message, with those of the process of this rank: until then something can still happen.
  void under_way_until(TrueTime when, std::uint32_t rank, std::function<void()> action);

  // Delivers the messages due by now, so that a process that looks for one sees what arrives in this very nanosecond:
  // sums of computing times may end a fraction of it before the alarm.
  void deliver_due();
  void on_alarm();
  // When the run has ended: to the output, whatever way was left.
  void deliver_remaining_meter_messages();

  bool anything_under_way() const { return pending_packets_ > 0; }
  Network& network() { return network_; }
  PacketPool& packets() { return packets_; }

 private:
  void insert(TrueTime when, std::uint32_t rank, std::function<void()> action);
  void deliver(Packet& packet);
  void drop(Packet& packet, const std::string& how);

  Simulation& simulation_;
  Calendar calendar_;
  Network network_;
  PacketPool packets_;
  std::map<std::pair<const Process*, const Process*>, Random> way_draws_;  // of what happens on links; from, to
  std::uint64_t pending_packets_ = 0;                                      // under way, without faults and limits
};

}  // namespace dpm::sim
