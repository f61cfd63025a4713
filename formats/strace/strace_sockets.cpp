#include "formats/strace/strace_sockets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "formats/strace/strace_text.hpp"

namespace dpm {
namespace {

constexpr std::uint64_t kStreamType = 1, kDatagramType = 2, kPacketType = 5, kTypeMask = 0xf;
constexpr std::uint64_t kCloseOnExec = 02000000;

struct Protocol {
  std::string_view prefix;
  ChannelMedium medium;
  bool is_datagram;
};
// As -yy names them.
constexpr std::array kProtocols = {
    Protocol{"TCP:[", ChannelMedium::tcp, false},
    Protocol{"TCPv6:[", ChannelMedium::tcp, false},
    Protocol{"UDP:[", ChannelMedium::udp, true},
    Protocol{"UDPv6:[", ChannelMedium::udp, true},
    Protocol{"UNIX-STREAM:[", ChannelMedium::unix_socket, false},
    Protocol{"UNIX-SEQPACKET:[", ChannelMedium::unix_socket, true},
    Protocol{"UNIX-DGRAM:[", ChannelMedium::unix_socket, true},
    Protocol{"UNIX:[", ChannelMedium::unix_socket, false},
};

struct Descriptor {
  std::int64_t number = -1;
  std::string_view annotation;  // what stands between < and >
};

Descriptor parse_descriptor(std::string_view text) {
  Descriptor descriptor;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), descriptor.number);
  if (error != std::errc{}) return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (!text.starts_with('<')) return descriptor;
  int depth = 1;
  std::size_t at = 1;
  for (; at < text.size(); ++at) {
    if (text[at] == '<') ++depth;
    if (text[at] == '>' && text[at - 1] != '-' && --depth == 0) break;
  }
  descriptor.annotation = text.substr(1, at - 1);
  return descriptor;
}

std::string_view port_of(std::string_view address) {
  const auto colon = address.rfind(':');
  return colon == std::string_view::npos ? std::string_view() : address.substr(colon + 1);
}
std::string_view host_of(std::string_view address) { return address.substr(0, address.rfind(':')); }

bool is_internet(std::string_view address) {
  return !address.empty() && (address.front() == '[' || (address.front() >= '0' && address.front() <= '9')) &&
         !port_of(address).empty();
}

bool is_any(std::string_view address) { return host_of(address) == "0.0.0.0" || host_of(address) == "[::]"; }
bool is_loopback(std::string_view address) { return address.starts_with("127.") || host_of(address) == "[::1]"; }

// A socket that is bound to every address talks to its own machine by the address of the other end.
std::string bound(std::string_view address, std::string_view peer) {
  return is_any(address) && is_internet(peer) ? fmt::format("{}:{}", host_of(peer), port_of(address))
                                              : std::string(address);
}

// Whether a client that connects to `destination` can be the peer that an accept saw, on one machine.
bool is_same_host(std::string_view destination, std::string_view peer) {
  return host_of(destination) == host_of(peer) || (is_loopback(destination) && is_loopback(peer)) ||
         is_any(destination);
}

bool closes_on_exec(std::string_view flags) {
  return has_flag(flags, "SOCK_CLOEXEC", kCloseOnExec) || has_flag(flags, "O_CLOEXEC", kCloseOnExec);
}

// The medium and kind of socket(domain, type).
StraceSocket of_family(std::string_view domain, std::string_view type) {
  StraceSocket socket;
  std::uint64_t number = 0;
  const bool is_number = !type.empty() && type.front() >= '0' && type.front() <= '9';
  if (is_number) {
    const int base = type.starts_with("0x") ? 16 : 10;
    std::from_chars(type.data() + (base == 16 ? 2 : 0), type.data() + type.size(), number, base);
    number &= kTypeMask;
  }
  const auto has_type = [&](std::string_view name, std::uint64_t value) {
    return is_number ? number == value : type.starts_with(name);
  };
  const bool is_stream = has_type("SOCK_STREAM", kStreamType), is_datagram = has_type("SOCK_DGRAM", kDatagramType),
             is_packet = has_type("SOCK_SEQPACKET", kPacketType);
  const auto is_domain = [&](std::string_view name, std::uint64_t value) {
    return is_constant(domain, std::string("AF_") + std::string(name), value) ||
           is_constant(domain, std::string("PF_") + std::string(name), value);
  };
  socket.is_datagram = is_datagram || is_packet;
  if (is_domain("UNIX", 1) || is_domain("LOCAL", 1) || is_domain("FILE", 1))
    socket.medium = is_stream || socket.is_datagram ? ChannelMedium::unix_socket : ChannelMedium::unknown;
  else if (is_domain("INET6", 10) || is_domain("INET", 2))
    socket.medium = is_stream ? ChannelMedium::tcp : is_datagram ? ChannelMedium::udp : ChannelMedium::unknown;
  socket.is_foreign = socket.medium == ChannelMedium::unknown;
  return socket;
}

// "[3, 4]"
std::vector<std::string_view> list_of(std::string_view text) {
  std::vector<std::string_view> list;
  if (!text.starts_with('[')) return list;
  text = text.substr(1, std::min(text.find_last_of(']'), text.size()) - 1);
  const StraceArguments items = parse_arguments(text);
  for (std::size_t n = 0; n < items.count; ++n) list.push_back(items[n]);
  return list;
}

}  // namespace

StraceSocketId StraceSockets::add(StraceSocket socket) {
  sockets_.push_back(std::move(socket));
  return static_cast<StraceSocketId>(sockets_.size() - 1);
}

StraceSocketId StraceSockets::of_number(std::string_view number) {
  if (const auto known = by_number_.find(number); known != by_number_.end()) return known->second;
  return by_number_.emplace(std::string(number), add({})).first->second;
}

StraceSockets::Annotation StraceSockets::read_annotation(std::string_view printed) {
  const std::string plain = unescaped(printed);  // -xx
  const std::string_view text = plain;
  if (text.starts_with('/')) return {AnnotationKind::path};
  const auto close = text.rfind(']');
  const auto open = text.find(":[");
  if (open == std::string_view::npos || close == std::string_view::npos || close < open + 2) return {};
  const std::string_view inside = text.substr(open + 2, close - open - 2);
  if (text.starts_with("socket:[")) {
    saw_descriptors_ = true;
    return {AnnotationKind::socket, of_number(inside)};
  }
  if (text.starts_with("pipe:[")) {
    saw_descriptors_ = true;
    StraceSocket pipe{ChannelMedium::pipe, false, true, std::string(inside), std::string(inside), 0, 0, {}, {}};
    pipe.out = pipe.in = channels_.named(ChannelMedium::pipe, false, inside, inside);
    return {AnnotationKind::socket, add(std::move(pipe))};
  }
  const auto protocol = std::find_if(kProtocols.begin(), kProtocols.end(),
                                     [&](const Protocol& known) { return text.starts_with(known.prefix); });
  if (protocol == kProtocols.end()) return {};
  saw_descriptors_ = saw_ends_ = true;
  // "123->124,@\"name\"": a UNIX socket with a path.
  std::string_view ends = inside, path;
  if (protocol->medium == ChannelMedium::unix_socket) {
    const auto comma = ends.find(',');
    path = comma == std::string_view::npos ? std::string_view() : ends.substr(comma + 1);
    ends = ends.substr(0, comma);
  }
  const auto arrow = ends.find("->");
  const std::string_view first = ends.substr(0, arrow),
                         second = arrow == std::string_view::npos ? "" : ends.substr(arrow + 2);
  StraceSocket socket{protocol->medium, protocol->is_datagram, true, {}, {}, kNoDirection, kNoDirection, {}, {}};
  if (protocol->medium == ChannelMedium::unix_socket) {
    const StraceSocketId id = of_number(first);
    StraceSocket& known = sockets_[id];
    known.medium = socket.medium;
    known.is_datagram = socket.is_datagram;
    known.is_named = true;
    if (known.local.empty()) known.local = first;
    if (!second.empty()) {
      unix_peers_[std::string(first)] = second;
      unix_peers_[std::string(second)] = first;
    }
    if (const auto at = path.find('"'); at != std::string_view::npos && known.is_datagram && second.empty())
      known.local = (path.find('@') < at ? "@" : "") + first_string(path);
    return {AnnotationKind::socket, id};
  }
  if (!is_internet(first)) {  // neither bound nor connected: only its number
    const StraceSocketId id = of_number(first);
    sockets_[id].medium = socket.medium;
    sockets_[id].is_datagram = socket.is_datagram;
    return {AnnotationKind::socket, id};
  }
  socket.local = plain_address(first);
  socket.remote = plain_address(second);
  if (!socket.remote.empty()) {
    socket.out = channels_.named(socket.medium, socket.is_datagram, socket.local, socket.remote);
    socket.in = channels_.named(socket.medium, socket.is_datagram, socket.remote, socket.local);
  }
  return {AnnotationKind::socket, add(std::move(socket))};
}

StraceSocketId StraceSockets::find_path(std::string_view path) {
  if (fifos_.empty()) return kNoSocket;
  if (const auto known = fifos_.find(path); known != fifos_.end()) return known->second;
  // One that was made under a relative name.
  for (const auto& [name, socket] : fifos_)
    if (name.front() != '/' && path.size() > name.size() && path.ends_with(name) &&
        path[path.size() - name.size() - 1] == '/')
      return socket;
  return kNoSocket;
}

StraceSocketId StraceSockets::find(ProcessId process, std::string_view text) {
  const Descriptor descriptor = parse_descriptor(text);
  if (descriptor.number < 0) return kNoSocket;
  if (descriptor.annotation.empty()) {
    if (process.value >= descriptors_.size() || !descriptors_[process.value]) return kNoSocket;
    const Descriptors& known = *descriptors_[process.value];
    const auto found = known.find(descriptor.number);
    return found == known.end() ? kNoSocket : found->second.socket;
  }
  const auto known = annotations_.find(descriptor.annotation);
  const Annotation annotation =
      known != annotations_.end()
          ? known->second
          : annotations_.emplace(std::string(descriptor.annotation), read_annotation(descriptor.annotation))
                .first->second;
  return annotation.kind == AnnotationKind::path ? find_path(unescaped(descriptor.annotation)) : annotation.socket;
}

StraceSockets::Descriptors& StraceSockets::descriptors(ProcessId process) {
  if (process.value >= descriptors_.size()) descriptors_.resize(process.value + std::size_t{1});
  if (!descriptors_[process.value]) descriptors_[process.value] = std::make_shared<Descriptors>();
  return *descriptors_[process.value];
}

StraceSocketId StraceSockets::place(ProcessId process, std::string_view returned, StraceSocket socket,
                                    bool closed_by_exec) {
  const Descriptor descriptor = parse_descriptor(returned);
  if (descriptor.number < 0) return kNoSocket;
  if (!descriptor.annotation.empty()) {
    const StraceSocketId named = find(process, returned);
    if (named == kNoSocket) return kNoSocket;
    if (!sockets_[named].is_named) sockets_[named] = std::move(socket);
    return named;
  }
  const StraceSocketId id = add(std::move(socket));
  descriptors(process)[descriptor.number] = {id, closed_by_exec};
  return id;
}

void StraceSockets::set_local(StraceSocketId id, const std::string& address) {
  StraceSocket& socket = sockets_[id];
  if (socket.is_named || address.empty() || port_of(address) == "0") return;
  socket.local = address;
  if (socket.medium == ChannelMedium::udp) {
    for (const auto& [peer, direction] : socket.unnamed_out) channels_.name(direction, bound(address, peer), peer);
    for (const auto& [peer, direction] : socket.unnamed_in) channels_.name(direction, peer, bound(address, peer));
    socket.unnamed_out.clear();
    socket.unnamed_in.clear();
  }
  if (socket.out != kNoDirection) channels_[socket.out].from = address;
  if (socket.in != kNoDirection) channels_[socket.in].to = address;
}

void StraceSockets::set_remote(StraceSocketId id, const std::string& address) {
  StraceSocket& socket = sockets_[id];
  if (socket.is_named || address.empty()) return;
  socket.remote = address;
  if (socket.out != kNoDirection) channels_[socket.out].to = address;
  if (socket.in != kNoDirection) channels_[socket.in].from = address;
}

void StraceSockets::link(StraceSocketId id) {
  StraceSocket& socket = sockets_[id];
  socket.out = channels_.add(socket.medium, socket.is_datagram, socket.local, socket.remote);
  socket.in = channels_.add(socket.medium, socket.is_datagram, socket.remote, socket.local);
}

bool StraceSockets::join(StraceSocketId client_id, StraceSocketId accepted_id) {
  StraceSocket& client = sockets_[client_id];
  StraceSocket& accepted = sockets_[accepted_id];
  if (client.medium != accepted.medium) return false;
  const bool is_exact = !client.local.empty() && client.local == accepted.remote;
  const bool may_be = client.medium == ChannelMedium::unix_socket ||
                      ((client.local.empty() || accepted.remote.empty() || is_any(client.local)) &&
                       (accepted.remote.empty() || is_same_host(client.remote, accepted.remote)));
  if (!is_exact && !may_be) return false;
  if (!is_exact) ++joined_by_order_;
  if (client.medium == ChannelMedium::tcp) {
    if (client.local.empty()) set_local(client_id, accepted.remote);
    if (accepted.remote.empty()) accepted.remote = client.local;
  }
  return true;
}

void StraceSockets::made(ProcessId process, std::string_view returned, std::string_view domain, std::string_view type) {
  const StraceSocketId id = place(process, returned, of_family(domain, type), closes_on_exec(type));
  if (id == kNoSocket || !sockets_[id].is_named || sockets_[id].medium != ChannelMedium::unix_socket) return;
  // Its number may have been that of another.
  channels_.begins(channels_.named(ChannelMedium::unix_socket, sockets_[id].is_datagram, sockets_[id].local, {}));
  if (const auto known = unix_peers_.find(sockets_[id].local); known != unix_peers_.end()) unix_peers_.erase(known);
}

void StraceSockets::made_pair(ProcessId process, std::string_view first, std::string_view second,
                              std::string_view domain, std::string_view type) {
  const StraceSocket kind = of_family(domain, type);
  const StraceSocketId one = place(process, first, kind, closes_on_exec(type));
  const StraceSocketId other = place(process, second, kind, closes_on_exec(type));
  if (one == kNoSocket || other == kNoSocket || one == other) return;
  if (sockets_[one].is_named) {
    for (const StraceSocketId id : {one, other})
      channels_.begins_unless_unread(
          channels_.named(ChannelMedium::unix_socket, sockets_[id].is_datagram, sockets_[id].local, {}));
    return;
  }
  const std::string name = fmt::format("pair {}", ++pipes_);
  sockets_[one].local = sockets_[other].remote = name + "a";
  sockets_[one].remote = sockets_[other].local = name + "b";
  link(one);
  sockets_[other].out = sockets_[one].in;
  sockets_[other].in = sockets_[one].out;
}

void StraceSockets::made_pipe(ProcessId process, std::string_view reading, std::string_view writing,
                              std::string_view flags) {
  const StraceSocketId reader = find(process, reading);
  if (reader != kNoSocket && sockets_[reader].is_named) return channels_.begins_unless_unread(sockets_[reader].in);
  const std::string name = fmt::format("{}", ++pipes_);
  const StraceDirectionId direction = channels_.add(ChannelMedium::pipe, false, name, name);
  const StraceSocket end{ChannelMedium::pipe, false, false, name, name, direction, direction, {}, {}};
  place(process, reading, end, closes_on_exec(flags));
  place(process, writing, end, closes_on_exec(flags));
}

void StraceSockets::connects(ProcessId process, std::string_view descriptor, const std::string& address) {
  const StraceSocketId id = find(process, descriptor);
  if (id == kNoSocket || address.empty()) return;
  StraceSocket& socket = sockets_[id];
  // With -yy a connected socket has another name from now on.
  if (socket.is_named || socket.medium == ChannelMedium::unknown || (saw_ends_ && socket.medium != ChannelMedium::udp))
    return;
  set_remote(id, address);
  if (socket.is_datagram && socket.medium != ChannelMedium::unix_socket) return;
  if (socket.out != kNoDirection) return;  // it asks again whether it is connected
  link(id);
  const std::string_view key = socket.medium == ChannelMedium::tcp ? port_of(address) : std::string_view(address);
  if (const auto found = unclaimed_.find(key); found != unclaimed_.end()) {
    for (auto at = found->second.begin(); at != found->second.end(); ++at) {
      if (!join(id, *at)) continue;
      sockets_[id].out = sockets_[*at].in;
      sockets_[id].in = sockets_[*at].out;
      found->second.erase(at);
      return;
    }
  }
  connecting_[std::string(key)].push_back(id);
}

void StraceSockets::connect_failed(ProcessId process, std::string_view descriptor) {
  const StraceSocketId id = find(process, descriptor);
  if (id == kNoSocket || sockets_[id].is_named || sockets_[id].remote.empty()) return;
  StraceSocket& socket = sockets_[id];
  const std::string_view key =
      socket.medium == ChannelMedium::tcp ? port_of(socket.remote) : std::string_view(socket.remote);
  if (const auto found = connecting_.find(key); found != connecting_.end()) std::erase(found->second, id);
  socket.out = socket.in = kNoDirection;
  socket.remote.clear();
}

StraceSocketId StraceSockets::accepted(ProcessId process, std::string_view listener_text, std::string_view returned,
                                       const std::string& peer, std::string_view flags) {
  const StraceSocketId listener = find(process, listener_text);
  StraceSocket socket;
  if (listener != kNoSocket) {
    socket.medium = sockets_[listener].medium;
    socket.is_datagram = sockets_[listener].is_datagram;
    if (!sockets_[listener].is_named) socket.local = bound(sockets_[listener].local, peer);
  } else if (!peer.empty()) {
    socket.medium = is_internet(peer) ? ChannelMedium::tcp : ChannelMedium::unix_socket;
  }
  if (socket.medium != ChannelMedium::unix_socket) socket.remote = peer;
  const StraceSocketId id = place(process, returned, std::move(socket), closes_on_exec(flags));
  if (id == kNoSocket) return id;
  if (sockets_[id].is_named || sockets_[id].out != kNoDirection) {
    for (const StraceDirectionId direction : {sending(id, {}), receiving(id, {})})
      if (direction != kNoDirection) channels_.begins_unless_unread(direction);
    return id;
  }
  StraceSocket& made = sockets_[id];
  if (made.medium == ChannelMedium::unknown) return id;
  const std::string key(made.medium == ChannelMedium::tcp ? port_of(made.local) : std::string_view(made.local));
  if (const auto found = connecting_.find(key); !key.empty() && found != connecting_.end()) {
    // The client whose port is known stands before those that may be it.
    const auto exact = std::find_if(found->second.begin(), found->second.end(), [&](StraceSocketId client) {
      return !peer.empty() && sockets_[client].local == peer;
    });
    for (auto at = exact == found->second.end() ? found->second.begin() : exact; at != found->second.end(); ++at) {
      if (!join(*at, id)) continue;
      made.out = sockets_[*at].in;
      made.in = sockets_[*at].out;
      set_remote(id, made.remote);
      found->second.erase(at);
      return id;
    }
  }
  link(id);
  if (!key.empty()) unclaimed_[key].push_back(id);
  return id;
}

void StraceSockets::has_local(ProcessId process, std::string_view descriptor, const std::string& address) {
  if (const StraceSocketId id = find(process, descriptor); id != kNoSocket) set_local(id, address);
}

void StraceSockets::has_remote(ProcessId process, std::string_view descriptor, const std::string& address) {
  const StraceSocketId id = find(process, descriptor);
  if (id != kNoSocket && sockets_[id].medium == ChannelMedium::tcp) set_remote(id, address);
}

void StraceSockets::copied(ProcessId process, std::string_view from, std::int64_t to, bool closed_by_exec) {
  if (parse_descriptor(from).annotation.size() > 0) return;
  const StraceSocketId id = find(process, from);
  if (id != kNoSocket)
    descriptors(process)[to] = {id, closed_by_exec};
  else
    closed(process, to, to);
}

void StraceSockets::closed(ProcessId process, std::int64_t first, std::int64_t last) {
  if (process.value >= descriptors_.size() || !descriptors_[process.value]) return;
  Descriptors& known = *descriptors_[process.value];
  known.erase(known.lower_bound(first), known.upper_bound(std::max(first, last)));
}

void StraceSockets::close_by_exec(ProcessId process, std::string_view descriptor, bool closed_by_exec) {
  if (process.value >= descriptors_.size() || !descriptors_[process.value]) return;
  Descriptors& known = *descriptors_[process.value];
  const auto found = known.find(parse_descriptor(descriptor).number);
  if (found != known.end()) found->second.closed_by_exec = closed_by_exec;
}

void StraceSockets::passes(ProcessId process, std::string_view carrier, std::string_view list) {
  const StraceSocketId through = find(process, carrier);
  const StraceDirectionId direction = through == kNoSocket ? kNoDirection : sending(through, {});
  if (direction == kNoDirection) return;
  for (const std::string_view descriptor : list_of(list))
    if (parse_descriptor(descriptor).annotation.empty()) passed_[direction].push_back(find(process, descriptor));
}

void StraceSockets::takes(ProcessId process, std::string_view carrier, std::string_view list) {
  const StraceSocketId through = find(process, carrier);
  const StraceDirectionId direction = through == kNoSocket ? kNoDirection : receiving(through, {});
  const auto found = passed_.find(direction);
  if (direction == kNoDirection || found == passed_.end()) return;
  for (const std::string_view text : list_of(list)) {
    const Descriptor descriptor = parse_descriptor(text);
    if (!descriptor.annotation.empty() || found->second.empty()) continue;
    if (found->second.front() != kNoSocket) descriptors(process)[descriptor.number] = {found->second.front(), false};
    found->second.pop_front();
  }
}

void StraceSockets::is_fifo(std::string_view path) {
  if (path.empty() || find_path(path) != kNoSocket) return;
  StraceSocket fifo{ChannelMedium::pipe, false, false, std::string(path), std::string(path), 0, 0, {}, {}};
  fifo.out = fifo.in = channels_.named(ChannelMedium::pipe, false, path, path);
  fifos_.emplace(std::string(path), add(std::move(fifo)));
}

void StraceSockets::opened(ProcessId process, std::string_view path, std::int64_t descriptor, std::string_view flags) {
  const StraceSocketId fifo = find_path(path);
  if (fifo != kNoSocket)
    descriptors(process)[descriptor] = {fifo, closes_on_exec(flags)};
  else
    closed(process, descriptor, descriptor);
}

void StraceSockets::created(ProcessId child, ProcessId maker, bool shares_descriptors) {
  const std::size_t needed = std::max(child.value, maker.value) + std::size_t{1};
  if (descriptors_.size() < needed) descriptors_.resize(needed);
  if (shares_descriptors) {
    if (!descriptors_[maker.value]) descriptors_[maker.value] = std::make_shared<Descriptors>();
    descriptors_[child.value] = descriptors_[maker.value];
  } else if (descriptors_[maker.value]) {
    descriptors_[child.value] = std::make_shared<Descriptors>(*descriptors_[maker.value]);
  }
}

void StraceSockets::executed(ProcessId process) {
  if (process.value >= descriptors_.size() || !descriptors_[process.value]) return;
  auto kept = std::make_shared<Descriptors>(*descriptors_[process.value]);
  std::erase_if(*kept, [](const auto& entry) { return entry.second.closed_by_exec; });
  descriptors_[process.value] = std::move(kept);
}

void StraceSockets::ended(ProcessId process) {
  if (process.value < descriptors_.size()) descriptors_[process.value].reset();
}

StraceDirectionId StraceSockets::udp(StraceSocketId id, const std::string& peer_given, bool sends) {
  StraceSocket& socket = sockets_[id];
  const std::string peer = peer_given.empty() ? socket.remote : peer_given;
  if (!is_internet(peer)) return kNoDirection;
  const auto named = [&](const std::string& local) {
    const std::string from = sends ? local : peer, to = sends ? peer : local;
    return channels_.named(ChannelMedium::udp, true, from, to);
  };
  if (socket.local.empty()) {
    // Its port is known once the other end has received.
    const auto [found, is_new] = (sends ? socket.unnamed_out : socket.unnamed_in).try_emplace(peer, kNoDirection);
    if (is_new) {
      found->second = channels_.add(ChannelMedium::udp, true, sends ? "" : peer, sends ? peer : "");
      if (sends) unnamed_[std::string(port_of(peer))].push_back(id);
    }
    return found->second;
  }
  const std::string local = bound(socket.local, peer);
  if (!sends && !channels_.is_known(ChannelMedium::udp, peer, local)) {
    auto& waiting = unnamed_[std::string(port_of(local))];
    for (auto at = waiting.begin(); at != waiting.end(); ++at) {
      StraceSocket& sender = sockets_[*at];
      if (!sender.local.empty() || *at == id) continue;
      const auto direction = std::find_if(sender.unnamed_out.begin(), sender.unnamed_out.end(), [&](const auto& entry) {
        return port_of(entry.first) == port_of(local) && is_same_host(entry.first, peer);
      });
      if (direction == sender.unnamed_out.end()) continue;
      const StraceSocketId sender_id = *at;
      waiting.erase(at);
      ++joined_by_order_;
      set_local(sender_id, peer);
      break;
    }
  }
  return named(local);
}

StraceDirectionId StraceSockets::sending(StraceSocketId id, const std::string& peer) {
  StraceSocket& socket = sockets_[id];
  if (socket.out != kNoDirection && (peer.empty() || !socket.is_datagram)) return socket.out;
  if (socket.medium == ChannelMedium::udp) return udp(id, peer, true);
  if (socket.medium != ChannelMedium::unix_socket) return kNoDirection;
  const std::string& to = peer.empty() ? socket.remote : peer;
  if (socket.is_datagram && !to.empty()) return channels_.named(ChannelMedium::unix_socket, true, {}, to);
  if (!socket.is_named) return kNoDirection;
  const auto known = unix_peers_.find(socket.local);
  if (socket.is_datagram && known == unix_peers_.end()) return kNoDirection;
  return channels_.named(ChannelMedium::unix_socket, socket.is_datagram, socket.local,
                         known == unix_peers_.end() ? std::string_view() : std::string_view(known->second));
}

StraceDirectionId StraceSockets::receiving(StraceSocketId id, const std::string& peer) {
  StraceSocket& socket = sockets_[id];
  if (socket.in != kNoDirection) return socket.in;
  if (socket.medium == ChannelMedium::udp) return udp(id, peer, false);
  if (socket.medium != ChannelMedium::unix_socket) return kNoDirection;
  if (socket.is_named) {
    if (const auto known = unix_peers_.find(socket.local); known != unix_peers_.end())
      return channels_.named(ChannelMedium::unix_socket, socket.is_datagram, known->second, socket.local);
    if (!socket.is_datagram) return channels_.named(ChannelMedium::unix_socket, false, {}, socket.local);
  }
  if (!socket.is_datagram || socket.local.empty() ||
      (socket.is_named && socket.local.find_first_not_of("0123456789") == std::string::npos))
    return kNoDirection;
  return channels_.named(ChannelMedium::unix_socket, true, {}, socket.local);
}

}  // namespace dpm
