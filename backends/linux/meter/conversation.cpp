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

std::string port_of(const std::string& name) {
  const auto colon = name.rfind(':');
  return colon == std::string::npos ? name : name.substr(colon);
}

bool is_datagram(Medium medium) { return medium == Medium::udp || medium == Medium::unix_datagram; }

}  // namespace

Socket* Conversations::find(std::uint64_t id) {
  const auto found = sockets_.find(id);
  return found == sockets_.end() ? nullptr : found->second.get();
}

Flow& Conversations::new_flow(std::string name, ChannelKind kind, bool exact) {
  auto flow = std::make_unique<Flow>();
  flow->channel = ChannelId{static_cast<std::uint32_t>(flows_.size())};
  flow->kind = kind;
  flow->exact = exact;
  ChannelInfo described;
  described.name = std::move(name);
  described.kind = kind;
  descriptions_.channels.push_back(std::move(described));
  flows_.push_back(std::move(flow));
  return *flows_.back();
}

Flow& Conversations::flow_by(const std::string& key, const std::string& name, ChannelKind kind, bool exact) {
  Flow*& flow = by_key_[key];
  if (flow == nullptr) flow = &new_flow(name, kind, exact);
  return *flow;
}

Flow& Conversations::pipe(std::uint64_t device, std::uint64_t inode) {
  const std::string name = "pipe " + std::to_string(device) + ":" + std::to_string(inode);
  return flow_by(name, name, ChannelKind::stream, false);
}

Flow& Conversations::datagrams_to(Medium medium, const std::string& sender, const std::string& receiver) {
  const std::string name = flow_name(medium, sender, receiver);
  if (medium != Medium::udp) return flow_by(flow_name(medium, "", receiver), name, ChannelKind::datagram, false);
  const std::string to = port_of(receiver);
  if (port_of(sender) == ":0") {
    unbound_.push_back({&new_flow(name, ChannelKind::datagram, false), to});
    return *unbound_.back().flow;
  }
  const std::string key = flow_name(medium, port_of(sender), to);
  const auto unbound =
      std::find_if(unbound_.begin(), unbound_.end(), [&to](const Unbound& known) { return known.receiver_port == to; });
  if (unbound != unbound_.end() && !by_key_.contains(key)) {
    by_key_[key] = unbound->flow;
    unbound_.erase(unbound);
  }
  return flow_by(key, name, ChannelKind::datagram, false);
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
  socket.out = &flow_by(out, out, kind, medium == Medium::tcp);
  socket.in = &flow_by(in, in, kind, medium == Medium::tcp);
  socket.out->sender_id = socket.in->receiver_id = socket.id;
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
  socket.out->sender_id = socket.in->receiver_id = socket.id;
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
