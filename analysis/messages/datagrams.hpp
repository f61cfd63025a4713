// Which datagram a RECEIVE took: by order and size within a channel.
//
// Datagrams of one sender arrive in the order they were sent, unless they are lost, and a RECEIVE is as long as its
// SEND. So a RECEIVE takes the sender's next SEND of its size; SENDs passed over are lost. Where a SEND and a RECEIVE
// have times of one machine's clock, the SEND must not be later. If the trace does not name the sender and several
// processes may have sent, the sender is the one with the fewest datagrams passed over; of equals, the one that sent
// first.
//
//     sent      100   20   20   300
//     received  100   20        300      the second of 20 bytes is lost (or the first: the trace cannot tell)
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/event.hpp"

namespace dpm {

class Datagrams {
 public:
  // Events in the order each process performed them.
  void send(const Event& event);
  void receive(const Event& event);
  void match();

  // ---- after match()
  struct Arrival {
    ProcessId sender;
    std::uint64_t sequence = 0;
  };
  bool any_sent() const { return !senders_.empty(); }
  bool any_received() const { return !received_.empty(); }
  std::uint64_t matched() const { return matched_; }
  std::uint64_t lost() const { return lost_; }  // passed over

  // The receiver of the next SEND of `process`; none if no process received it.
  ProcessId next_receiver(ProcessId process);
  // What the next RECEIVE of `process` took; nothing if no SEND fits.
  std::optional<Arrival> next_arrival(ProcessId process);

 private:
  struct Sent {
    std::uint64_t sequence = 0;
    LocalTime time;
    std::uint32_t length_bytes = 0;
    MachineId machine;
    ProcessId receiver;
  };
  struct Sender {
    std::vector<Sent> sent;
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> by_length;  // places in `sent`
    std::uint32_t next = 0;                                                   // before it: received or lost
    std::size_t asked = 0;                                                    // next_receiver()
  };
  struct Received {
    ProcessId process, peer;
    LocalTime time;
    std::uint32_t length_bytes = 0;
    MachineId machine;
    ProcessId sender;
    std::uint32_t place = 0;  // in its sender's `sent`
  };

  std::optional<std::uint32_t> candidate(const Sender& sender, const Received& received) const;
  void match(Received& received);

  std::map<ProcessId, Sender> senders_;
  std::vector<Received> received_;
  std::map<ProcessId, std::vector<std::uint32_t>> received_by_;  // places in `received_`
  std::map<ProcessId, std::size_t> asked_;                       // next_arrival()
  std::uint64_t matched_ = 0, lost_ = 0;
};

}  // namespace dpm
