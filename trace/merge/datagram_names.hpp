// Joins the ways of UDP datagrams by name. A sender knows where it sends to, and its own port; a receiver knows where a
// datagram came from, and its own port. Either may be bound to every address of its machine, and machines have several:
//
//     at red    0.0.0.0:4000 > 10.0.0.2:53        red has 10.0.0.1 and fe80::1
//     at blue   10.0.0.1:4000 > [::]:53           blue has 10.0.0.2             the same
//
// So the ports must be equal, the address sent to must be the receiver's or one of its machine, and the address it came
// from the sender's or one of its machine. Several ways to one receiver are one if it cannot distinguish them. Loopback
// addresses lead to the machine itself. Datagrams to a group have several receivers and are not joined.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/trace_info.hpp"

namespace dpm {

class DatagramNames {
 public:
  explicit DatagramNames(const TraceInfo& info) : info_(&info) {}

  // The channel that this is; none if it is new.
  ChannelId find(const ChannelInfo& described);
  // Notes that it is `channel`: others may be joined to it.
  void note(ChannelId channel, const ChannelInfo& described);
  // From now on nothing is joined to it.
  void forget(ChannelId channel);

  std::vector<std::string> warnings() const;

 private:
  struct Way {
    ChannelId channel;
    ChannelEnd sender, receiver;  // as one meter described them
  };

  bool is_same(const Way& known, const ChannelInfo& described) const;
  bool matches(const ChannelEnd& seen, const ChannelEnd& named, MachineId named_by) const;

  const TraceInfo* info_;
  std::unordered_map<std::uint32_t, std::vector<Way>> by_ports_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> ports_;  // under which a channel is found
  std::uint64_t unnamed_ = 0, ambiguous_ = 0;
  std::string ambiguous_example_;
};

}  // namespace dpm
