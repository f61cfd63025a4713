#include "backends/linux/meter/conversation.hpp"

#include <algorithm>

namespace dpm {
namespace {

// UNIX sockets are known by inode; a bound one's path says more to people.
std::string unix_end(std::uint64_t inode, const std::string& path) {
  const std::string number = "socket:[" + std::to_string(inode) + "]";
  return path.empty() ? number : path + "#" + std::to_string(inode);
}

std::string flow_name(Medium medium, const std::string& from, const std::string& to) {
  return to_string(medium) + " " + from + " > " + to;
}

bool is_datagram(Medium medium) { return medium == Medium::udp || medium == Medium::unix_datagram; }

ChannelMedium carrier_of(Medium medium) {
  if (medium == Medium::tcp) return ChannelMedium::tcp;
  return medium == Medium::udp ? ChannelMedium::udp : ChannelMedium::unix_socket;
}

ChannelEnd end_named(Medium medium, const std::string& name) {
  if (medium == Medium::tcp || medium == Medium::udp) return parse_internet_name(name);
  ChannelEnd end;
  end.address = name;
  return end;
}

ChannelInfo describe_flow(Medium medium, ChannelKind kind, const std::string& from, const std::string& to) {
  ChannelInfo described;
  described.name = flow_name(medium, from, to);
  described.kind = kind;
  described.medium = carrier_of(medium);
  described.sender = end_named(medium, from);
  described.receiver = end_named(medium, to);
  return described;
}

}  // namespace

Socket* Conversations::find(std::uint64_t id) {
  const auto found = sockets_.find(id);
  return found == sockets_.end() ? nullptr : found->second.get();
}

Flow& Conversations::new_flow(ChannelInfo described) {
  auto flow = std::make_unique<Flow>();
  flow->channel = ChannelId{static_cast<std::uint32_t>(flows_.size())};
  flow->kind = described.kind;
  flow->exact = described.medium == ChannelMedium::tcp;
  descriptions_.channels.push_back(std::move(described));
  flows_.push_back(std::move(flow));
  return *flows_.back();
}

Flow& Conversations::flow_by(const std::string& key, const ChannelInfo& described) {
  Flow*& flow = by_key_[key];
  if (flow == nullptr) flow = &new_flow(described);
  return *flow;
}

void Conversations::stands_at(Flow& flow, bool sending, std::uint64_t socket, ChannelEnd end) {
  std::uint64_t& known = sending ? flow.sender_id : flow.receiver_id;
  if (known != 0) return;
  known = socket;
  end.machine = MachineId{0};
  end.socket = socket;
  descriptions_.ends.push_back({flow.channel, sending, std::move(end)});
}

// Whoever uses one end of a pipe, the other is on this machine as well.
Flow& Conversations::pipe(std::uint64_t device, std::uint64_t inode) {
  Flow*& flow = pipes_[{device, inode}];
  if (flow != nullptr) return *flow;
  ChannelInfo described;
  described.kind = ChannelKind::stream;
  described.medium = ChannelMedium::pipe;
  described.sender.address = std::to_string(device) + ":" + std::to_string(inode);
  described.sender.machine = MachineId{0};
  described.receiver = described.sender;
  described.name = "pipe " + described.sender.address;
  flow = &new_flow(std::move(described));
  return *flow;
}

bool Conversations::is_ours(const std::string& address) const {
  return addresses_.empty() || is_loopback_address(address) ||
         std::find(addresses_.begin(), addresses_.end(), address) != addresses_.end();
}

bool Conversations::may_be_same(const ChannelEnd& a, const ChannelEnd& b) const {
  if (a.address == b.address) return true;
  const bool is_any_a = is_any_address(a.address), is_any_b = is_any_address(b.address);
  return (is_any_a && is_any_b) || (is_any_a && is_ours(b.address)) || (is_any_b && is_ours(a.address));
}

Flow* Conversations::take_unbound(const ChannelEnd& sender, const ChannelEnd& receiver) {
  const auto found = std::find_if(unbound_.begin(), unbound_.end(), [&](const DatagramFlow& known) {
    return known.receiver.port == receiver.port && may_be_same(known.receiver, receiver);
  });
  if (found == unbound_.end()) return nullptr;
  Flow* flow = found->flow;
  unbound_.erase(found);
  const std::uint64_t socket = std::exchange(flow->sender_id, 0);
  stands_at(*flow, true, socket, sender);
  return flow;
}

// Its name can be looked at now.
void Conversations::name_unbound(const Socket& socket) {
  const ChannelEnd name = end_named(socket.description.medium, socket.description.local_name);
  if (name.port == 0 || unbound_senders_.erase(socket.id) == 0) return;
  std::erase_if(unbound_, [&](const DatagramFlow& known) {
    if (known.flow->sender_id != socket.id) return false;
    known.flow->sender_id = 0;
    stands_at(*known.flow, true, socket.id, name);
    udp_[std::uint32_t{name.port} << 16 | known.receiver.port].push_back({name, known.receiver, known.flow});
    return true;
  });
}

Flow& Conversations::udp(const ChannelEnd& sender, const ChannelEnd& receiver, const std::string& name) {
  ChannelInfo described;
  described.name = name;
  described.kind = ChannelKind::datagram;
  described.medium = ChannelMedium::udp;
  described.sender = sender;
  described.receiver = receiver;
  if (sender.port == 0) {
    unbound_.push_back({sender, receiver, &new_flow(std::move(described))});
    return *unbound_.back().flow;
  }
  auto& known = udp_[std::uint32_t{sender.port} << 16 | receiver.port];
  for (const DatagramFlow& flow : known)
    if (may_be_same(flow.sender, sender) && may_be_same(flow.receiver, receiver)) return *flow.flow;
  Flow* flow = take_unbound(sender, receiver);
  if (flow == nullptr) flow = &new_flow(std::move(described));
  known.push_back({sender, receiver, flow});
  return *flow;
}

Flow& Conversations::datagrams_to(const Socket& sender, const std::string& receiver) {
  const Medium medium = sender.description.medium;
  const std::string& own = sender.description.local_name;
  const ChannelEnd from = end_named(medium, own);
  if (medium == Medium::udp && from.port == 0) unbound_senders_.insert(sender.id);
  name_unbound(sender);
  Flow& flow = medium == Medium::udp ? udp(from, end_named(medium, receiver), flow_name(medium, own, receiver))
                                     : flow_by(flow_name(medium, "", receiver),
                                               describe_flow(medium, ChannelKind::datagram, own, receiver));
  stands_at(flow, true, sender.id, from);
  return flow;
}

Flow& Conversations::datagrams_from(const std::string& sender, const Socket& receiver) {
  const Medium medium = receiver.description.medium;
  const std::string& own = receiver.description.local_name;
  const ChannelEnd at = end_named(medium, own);
  name_unbound(receiver);
  Flow& flow = medium == Medium::udp
                   ? udp(end_named(medium, sender), at, flow_name(medium, sender, own))
                   : flow_by(flow_name(medium, "", own), describe_flow(medium, ChannelKind::datagram, sender, own));
  stands_at(flow, false, receiver.id, at);
  return flow;
}

// An end that was taken by another socket before belongs to an earlier connection between the same names.
void Conversations::join(Socket& socket, const std::string& own, const std::string& peer) {
  const Medium medium = socket.description.medium;
  const bool stream = medium == Medium::tcp || medium == Medium::unix_stream;
  const ChannelKind kind = stream ? ChannelKind::stream : ChannelKind::datagram;
  const std::string out = flow_name(medium, own, peer), in = flow_name(medium, peer, own);
  const auto earlier = by_key_.find(out);
  if (earlier != by_key_.end() && earlier->second->sender_id != 0 && earlier->second->sender_id != socket.id) {
    by_key_.erase(earlier);
    by_key_.erase(in);
  }
  socket.out = &flow_by(out, describe_flow(medium, kind, own, peer));
  socket.in = &flow_by(in, describe_flow(medium, kind, peer, own));
  stands_at(*socket.out, true, socket.id, end_named(medium, own));
  stands_at(*socket.in, false, socket.id, end_named(medium, own));
}

// A UNIX socket whose peer is closed does not know any more who that was; but the peer may have been seen. A client
// that speaks before it is accepted does not know its peer yet; but the peer will know it.
void Conversations::join_unix(Socket& socket) {
  const SocketDescription& known = socket.description;
  const std::string own = unix_end(known.inode, known.local_name);
  if (known.peer_inode != 0) {
    by_unix_peer_[known.peer_inode] = socket.id;
    const auto early = unaccepted_.find(known.peer_inode);
    if (early == unaccepted_.end()) return join(socket, own, unix_end(known.peer_inode, known.peer_name));
    be_other_end(socket, *find(early->second));
    unaccepted_.erase(early);
    return;
  }
  const auto seen = by_unix_peer_.find(known.inode);
  if (const Socket* peer = seen == by_unix_peer_.end() ? nullptr : find(seen->second)) {
    be_other_end(socket, *peer);
  } else if (known.connected && known.medium != Medium::unix_datagram) {
    unaccepted_[known.inode] = socket.id;
    join(socket, own, known.peer_name.empty() ? "(unknown)" : known.peer_name);
  }
}

void Conversations::be_other_end(Socket& socket, const Socket& peer) {
  socket.out = peer.in;
  socket.in = peer.out;
  const SocketDescription& known = socket.description;
  const ChannelEnd own = end_named(known.medium, unix_end(known.inode, known.local_name));
  stands_at(*socket.out, true, socket.id, own);
  stands_at(*socket.in, false, socket.id, own);
}

Socket& Conversations::add(std::uint64_t id, SocketDescription description) {
  auto& socket = sockets_[id];
  socket = std::make_unique<Socket>();
  socket->id = id;
  socket->description = std::move(description);
  const SocketDescription& known = socket->description;
  if (known.listening || known.medium == Medium::none) return *socket;
  if (known.domain == 1 /* AF_UNIX */) {
    join_unix(*socket);
  } else if (known.connected && !is_datagram(known.medium)) {
    join(*socket, known.local_name, known.peer_name);
  }
  return *socket;
}

std::uint32_t Conversations::channel_set_of(Flow& flow) {
  if (flow.channel_set == 0) {
    flow.channel_set = channel_sets_++;
    descriptions_.channel_sets.push_back(flow.channel);
  }
  return flow.channel_set;
}

void Conversations::reader_is(Flow& flow, ProcessId reader) {
  if (!flow.reader.is_none()) return;
  flow.reader = reader;
  descriptions_.owned.push_back({flow.channel, reader});
}

}  // namespace dpm
