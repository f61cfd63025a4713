// The flows of datagram sockets that are not connected: one for each pair of sender and receiver of UDP, one for each
// name to which UNIX datagrams are sent, whether or not their senders are connected to it.
//
// A server gets more and more peers, and nothing tells when a peer is gone. So the number of flows is bounded: when
// there are more than kFlowsMax, the half that was used least recently is removed. A peer that comes back after that
// gets a new channel. (Its old channel could be found only if its name were kept, and the names must not grow.)
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "backends/linux/calls/datagram_accounts.hpp"
#include "backends/linux/calls/flow_table.hpp"
#include "os/kernel/descriptor.hpp"

namespace dpm {

struct Socket;

class DatagramFlows {
 public:
  static constexpr std::size_t kFlowsMax = 16384;

  explicit DatagramFlows(FlowTable& flows) : flows_(flows) {}

  // As in Conversations.
  Flow& to(const Socket& sender, const std::string& receiver);
  Flow& from(const std::string& sender, const Socket& receiver);
  void set_local_addresses(std::vector<std::string> addresses) { addresses_ = std::move(addresses); }

  DatagramAccounts& accounts() { return accounts_; }

  // The socket is closed: its name will not become known any more.
  void forget_sender(std::uint64_t socket) { unbound_senders_.erase(socket); }

 private:
  struct Known {
    ChannelEnd sender, receiver;
    Flow* flow = nullptr;
  };
  Flow& udp(const ChannelEnd& sender, const ChannelEnd& receiver, const std::string& name, bool is_received);
  Flow& to_unix(const std::string& from, const std::string& to);
  Flow& add(ChannelInfo described);
  Flow& used(Flow& flow);
  void name_unbound(const Socket& socket);
  Flow* find_unbound(const Socket& sender, const ChannelEnd& receiver) const;
  Flow* take_unbound(const ChannelEnd& sender, const ChannelEnd& receiver);
  bool may_be_same(const ChannelEnd& a, const ChannelEnd& b) const;
  bool is_ours(const std::string& address) const;
  void remove_least_used();

  FlowTable& flows_;
  DatagramAccounts accounts_{[this](const ChannelEnd& a, const ChannelEnd& b) { return may_be_same(a, b); }};
  std::vector<std::string> addresses_;
  std::vector<Known> unbound_;
  std::unordered_set<std::uint64_t> unbound_senders_;          // sockets
  std::unordered_map<std::uint32_t, std::vector<Known>> udp_;  // by both ports
  std::unordered_map<std::string, Flow*> unix_;                // by receiver
  std::unordered_map<std::string, Flow*> unnamed_;             // by receiver: nothing tells who sent
  std::size_t count_ = 0;
  std::uint64_t uses_ = 0;
};

}  // namespace dpm
