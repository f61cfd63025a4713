#include "backends/linux/calls/conversation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backends/linux/calls/flow_names.hpp"
#include "model/check.hpp"

namespace dpm {
namespace {

constexpr std::uint8_t kMissedMax = 2;  // then it is closed

// Its channels are its own, and not those of a name to which other sockets send as well: it is connected for good.
bool has_own_channels(const SocketDescription& known) {
  if (known.medium == Medium::udp) return false;
  const bool is_of_pair = known.connected && known.peer_name.empty();
  return known.medium != Medium::unix_datagram || is_of_pair;
}

}  // namespace

Socket* Conversations::find(std::uint64_t id) {
  const auto found = sockets_.find(id);
  return found == sockets_.end() ? nullptr : found->second.get();
}

Flow& Conversations::flow_by(const std::string& key, const ChannelInfo& described) {
  Flow*& flow = by_key_[key];
  if (flow == nullptr) {
    flow = &flows_.add(described);
    flow->key = key;
  }
  return *flow;
}

// Both ends of a pipe are on this machine.
Flow& Conversations::pipe(std::uint64_t device, std::uint64_t inode) {
  Pipe& pipe = pipes_[{device, inode}];
  pipe.survey = survey_;
  pipe.missed = 0;
  if (pipe.flow != nullptr) return *pipe.flow;
  ChannelInfo described;
  described.kind = ChannelKind::stream;
  described.medium = ChannelMedium::pipe;
  described.sender.address = fmt::format("{}:{}", device, inode);
  described.sender.machine = MachineId{0};
  described.receiver = described.sender;
  described.name = "pipe " + described.sender.address;
  pipe.flow = &flows_.add(std::move(described));
  return *pipe.flow;
}

void Conversations::point(Socket& socket, Flow* out, Flow* in) {
  socket.out = out;
  socket.in = in;
  ++out->sockets;
  ++in->sockets;
}

// If another socket has this end already, the flow belongs to an earlier connection between the same names.
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
  Flow& sends_by = flow_by(out, describe_flow(medium, kind, own, peer));
  Flow& receives_by = flow_by(in, describe_flow(medium, kind, peer, own));
  point(socket, &sends_by, &receives_by);
  flows_.stands_at(*socket.out, true, socket.id, end_named(medium, own));
  flows_.stands_at(*socket.in, false, socket.id, end_named(medium, own));
}

// The kernel does not name the peer of a UNIX socket once the peer is closed, but the meter may have seen the peer. A
// client that sends before it is accepted has no peer yet, but the accepted socket will name the client, or, if the
// client is closed by then, the process that connected.
void Conversations::join_unix(Socket& socket) {
  const SocketDescription& known = socket.description;
  const std::string own = unix_end(known.inode, known.local_name);
  if (known.peer_inode != 0) {
    by_unix_peer_[known.peer_inode] = socket.id;
    const auto early = unaccepted_.find(known.peer_inode);
    if (early == unaccepted_.end()) return join(socket, own, unix_end(known.peer_inode, known.peer_name));
    const Socket& client = *find(early->second);
    be_other_end(socket, client);
    return is_accepted(client);
  }
  const auto seen = by_unix_peer_.find(known.inode);
  if (const Socket* peer = seen == by_unix_peer_.end() ? nullptr : find(seen->second)) {
    be_other_end(socket, *peer);
  } else if (const Socket* client = take_ended_client(known)) {
    be_other_end(socket, *client);
    is_accepted(*client);
  } else if (known.connected) {
    await_accept(socket);
    join(socket, own, known.peer_name.empty() ? "(unknown)" : known.peer_name);
  }
}

void Conversations::await_accept(const Socket& client) {
  const SocketDescription& known = client.description;
  unaccepted_[known.inode] = client.id;
  if (!known.peer_name.empty()) unaccepted_at_[known.peer_name].push_back(client.id);
}

// A listener accepts in the order in which its clients connected.
Socket* Conversations::take_ended_client(const SocketDescription& accepted) {
  const auto at_listener = unaccepted_at_.find(accepted.local_name);
  if (!accepted.connected || at_listener == unaccepted_at_.end()) return nullptr;
  for (const std::uint64_t id : at_listener->second) {
    Socket* const client = find(id);
    if (client->first_pid == static_cast<std::uint32_t>(accepted.peer_pid)) return client;
  }
  return nullptr;
}

void Conversations::is_accepted(const Socket& client) {
  const SocketDescription& known = client.description;
  const auto early = unaccepted_.find(known.inode);
  if (early != unaccepted_.end() && early->second == client.id) unaccepted_.erase(early);
  const auto at_listener = unaccepted_at_.find(known.peer_name);
  if (at_listener == unaccepted_at_.end()) return;
  auto& clients = at_listener->second;
  if (const auto found = std::ranges::find(clients, client.id); found != clients.end()) clients.erase(found);
  if (clients.empty()) unaccepted_at_.erase(at_listener);
}

void Conversations::be_other_end(Socket& socket, const Socket& peer) {
  point(socket, peer.in, peer.out);
  const SocketDescription& known = socket.description;
  const ChannelEnd own = end_named(known.medium, unix_end(known.inode, known.local_name));
  flows_.stands_at(*socket.out, true, socket.id, own);
  flows_.stands_at(*socket.in, false, socket.id, own);
}

Socket& Conversations::add(std::uint64_t id, SocketDescription description) {
  auto& socket = sockets_[id];
  DPM_CHECK(socket == nullptr);
  socket = std::make_unique<Socket>();
  socket->id = id;
  socket->survey = survey_;
  socket->description = std::move(description);
  find_flows(*socket);
  return *socket;
}

void Conversations::describe_again(Socket& socket, SocketDescription description) {
  socket.description = std::move(description);
  if (socket.out == nullptr) find_flows(socket);
}

void Conversations::find_flows(Socket& socket) {
  const SocketDescription& known = socket.description;
  if (known.listening || known.medium == Medium::none || !has_own_channels(known)) return;
  if (known.domain == 1 /* AF_UNIX */) {
    join_unix(socket);
  } else if (known.connected) {
    join(socket, known.local_name, known.peer_name);
  }
}

void Conversations::is_used(Socket& socket) {
  socket.survey = survey_;
  socket.missed = 0;
  socket.closed = false;
}

Conversations::Sizes Conversations::sizes() const {
  return {flows_.size(), sockets_.size(), pipes_.size(),
          by_key_.size() + by_unix_peer_.size() + unaccepted_.size() + unaccepted_at_.size() + lingering_.size()};
}

// A socket that was used since the survey began is open, whatever the survey found.
void Conversations::end_survey(const OpenFiles& open) {
  std::vector<std::uint64_t> closed;
  for (auto& [id, socket] : sockets_) {
    if (socket->survey == survey_ || socket->closed) continue;
    const bool is_open = open.sockets.contains(socket->description.inode) || open.cookies.contains(id);
    socket->missed = is_open ? std::uint8_t{0} : static_cast<std::uint8_t>(socket->missed + 1);
    if (socket->missed == kMissedMax) closed.push_back(id);
  }
  for (const std::uint64_t id : closed)
    if (Socket* socket = find(id)) close(*socket);
  for (auto& [name, pipe] : pipes_) {
    if (pipe.survey == survey_ || !open.complete) continue;
    const bool is_open = open.pipes.contains(name.second) || open.named_pipes.contains(name);
    pipe.missed = is_open ? std::uint8_t{0} : static_cast<std::uint8_t>(pipe.missed + 1);
    if (pipe.missed == kMissedMax) flows_.remove(*pipe.flow);
  }
  std::erase_if(pipes_, [](const auto& entry) { return entry.second.missed == kMissedMax; });
  survey_at_ = sockets_.size() + pipes_.size() + std::max(kSurveyEvery, open.descriptors);
}

Socket* Conversations::other_end(const Socket& socket) {
  if (socket.out == nullptr) return nullptr;
  const std::uint64_t id = socket.out->receiver_id != 0 ? socket.out->receiver_id : socket.in->sender_id;
  return id == 0 || id == socket.id ? nullptr : find(id);
}

void Conversations::close(Socket& socket) {
  socket.closed = true;
  if (socket.out == nullptr) return forget(socket);
  Socket* other = other_end(socket);
  if (other == nullptr) {
    lingering_.push_back(socket.id);
    if (lingering_.size() > kLingerMax) forget_oldest_lingering();
  } else if (other->closed) {
    forget(*other);
    forget(socket);
  }
}

// If the other end has been described meanwhile, the connection is forgotten when that end is closed.
void Conversations::forget_oldest_lingering() {
  Socket* socket = find(lingering_.front());
  lingering_.pop_front();
  if (socket != nullptr && socket->closed && other_end(*socket) == nullptr) forget(*socket);
}

void Conversations::release(Flow* flow) {
  if (flow == nullptr || --flow->sockets > 0) return;
  const auto found = by_key_.find(flow->key);
  if (found != by_key_.end() && found->second == flow) by_key_.erase(found);
  flows_.remove(*flow);
}

void Conversations::forget(Socket& socket) {
  const SocketDescription& known = socket.description;
  datagrams_.forget_sender(socket.id);
  const auto peer = by_unix_peer_.find(known.peer_inode);
  if (peer != by_unix_peer_.end() && peer->second == socket.id) by_unix_peer_.erase(peer);
  is_accepted(socket);
  release(socket.out);
  release(socket.in);
  sockets_.erase(socket.id);
}

}  // namespace dpm
