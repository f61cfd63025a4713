// The ways messages take: flows, each one direction of a connection, a pipe, or what is sent to a datagram socket; and
// the sockets whose ends they are.
//
// Both ends of a connection know its two names, in opposite order, so a flow is found by (medium, sender's name,
// receiver's name). A socket is known by its cookie: descriptors are passed, duplicated and inherited without anybody
// telling us, but the cookie stays.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "backends/linux/kernel/descriptor.hpp"
#include "backends/linux/meter/record_output.hpp"
#include "backends/linux/meter/stream_position.hpp"

namespace dpm {

struct Flow {
  ChannelId channel;
  ChannelKind kind = ChannelKind::stream;
  bool exact = false;  // the kernel tells the offsets
  StreamPosition sent, received;
  std::uint64_t datagrams = 0;                   // sent so far
  ProcessId reader;                              // the last one seen
  std::uint32_t channel_set = 0;                 // the set of this channel alone; 0: not made yet
  std::uint64_t sender_id = 0, receiver_id = 0;  // the sockets at its ends, as far as seen
};

struct Socket {
  std::uint64_t id = 0;
  SocketDescription description;
  Flow* out = nullptr;
  Flow* in = nullptr;
  bool announced = false;  // its SOCKET, CONNECT or ACCEPT has been recorded
};

class Conversations {
 public:
  explicit Conversations(Descriptions& descriptions) : descriptions_(descriptions) {}

  // The socket of that identity, or nullptr before it has been described.
  Socket* find(std::uint64_t id);
  // Makes it known; a connected one gets its flows.
  Socket& add(std::uint64_t id, SocketDescription description);

  Flow& pipe(std::uint64_t device, std::uint64_t inode);
  // The way of a datagram that this socket sends to that name, or receives from it. A socket bound to every address
  // does not know under which one it is spoken to: then any address of this machine will do.
  // A sender that is not bound yet gets its port by its first send: that flow gets its name by the next send or receive
  // of the same socket, or else by the first sight of one to the same receiver whose sender is known.
  Flow& datagrams_to(const Socket& sender, const std::string& receiver);
  Flow& datagrams_from(const std::string& sender, const Socket& receiver);
  // Addresses of this machine; without any, every address may be one.
  void lives_at(std::vector<std::string> addresses) { addresses_ = std::move(addresses); }

  std::uint32_t channel_set_of(Flow& flow);
  void reader_is(Flow& flow, ProcessId reader);

  std::size_t channels() const { return flows_.size(); }

 private:
  struct DatagramFlow {
    ChannelEnd sender, receiver;
    Flow* flow = nullptr;
  };
  // `described` says all that is known of it before anybody has used it.
  Flow& new_flow(ChannelInfo described);
  Flow& flow_by(const std::string& key, const ChannelInfo& described);
  // This socket was seen at that end.
  void stands_at(Flow& flow, bool sending, std::uint64_t socket, ChannelEnd end);
  Flow& udp(const ChannelEnd& sender, const ChannelEnd& receiver, const std::string& name);
  void name_unbound(const Socket& socket);
  Flow* take_unbound(const ChannelEnd& sender, const ChannelEnd& receiver);
  bool may_be_same(const ChannelEnd& a, const ChannelEnd& b) const;
  bool is_ours(const std::string& address) const;
  void join(Socket& socket, const std::string& own, const std::string& peer);
  void join_unix(Socket& socket);
  void be_other_end(Socket& socket, const Socket& peer);

  Descriptions& descriptions_;
  std::vector<std::string> addresses_;
  std::vector<std::unique_ptr<Flow>> flows_;
  std::vector<DatagramFlow> unbound_;
  std::unordered_set<std::uint64_t> unbound_senders_;                 // sockets
  std::unordered_map<std::uint32_t, std::vector<DatagramFlow>> udp_;  // by both ports
  std::unordered_map<std::string, Flow*> by_key_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Flow*> pipes_;  // by device and inode
  std::unordered_map<std::uint64_t, std::unique_ptr<Socket>> sockets_;
  std::unordered_map<std::uint64_t, std::uint64_t> by_unix_peer_;  // sockets by the inode of their peer
  std::unordered_map<std::uint64_t, std::uint64_t> unaccepted_;    // sockets without a known peer by their inode
  std::uint32_t channel_sets_ = 1;                                 // [0] is "any"
};

}  // namespace dpm
