// Paths made and closed are usually not notified (those calls must not be disturbed): they are inferred when a
// descriptor is used the first time, shows another socket than before, or its process ends.
#include <algorithm>
#include <utility>

#include "backends/linux/meter/meter.hpp"

namespace dpm {
namespace {

std::uint32_t kind_of(const SocketDescription& socket) {
  return static_cast<std::uint32_t>(socket.domain << 16 | socket.type << 8 | socket.protocol);
}

}  // namespace

void Meter::record_path(const Call& call, EventType type, const Socket& socket, std::uint32_t code, Evidence evidence) {
  Event event = event_of(call, type);
  if (socket.out != nullptr) event.channel = socket.out->channel;
  if (socket.in != nullptr) event.passed_channel = socket.in->channel;
  event.code = code;
  event.evidence = evidence;
  record(call, event);
}

// socketpair() is not treated differently from two sockets created, connected and accepted (metering report 3.2): all
// four messages are produced.
void Meter::announce_pair(const Call& call, Socket& socket) {
  Socket other;
  other.out = socket.in;
  other.in = socket.out;
  const std::uint32_t kind = kind_of(socket.description);
  record_path(call, EventType::socket, socket, kind);
  record_path(call, EventType::socket, other, kind);
  record_path(call, EventType::connect, socket, 0);
  record_path(call, EventType::accept, other, ChannelId::kNone);
}

void Meter::await_connection(const Call& call, const Event& event, AwaitedPath path) {
  path.execution = call.execution;
  path.event = record(call, event, false);
  path.descriptor = call.descriptor;
  path.since_ns = call.now_ns;
  if (path.event == Execution::kNoEvent) return;
  ++call.execution->open_operations;
  awaited_paths_.add(std::move(path));
}

void Meter::end_wait(const AwaitedPath& path) {
  path.execution->finish(path.event);
  --path.execution->open_operations;
}

bool Meter::settle_path(const std::optional<AwaitedPath>& path, const Socket& socket) {
  if (!path) return false;
  if (Event* event = path->execution->event(path->event)) {
    if (socket.out != nullptr) event->channel = socket.out->channel;
    if (socket.in != nullptr) event->passed_channel = socket.in->channel;
  }
  end_wait(*path);
  return true;
}

void Meter::announce(const Call& call, Socket& socket) {
  socket.announced = true;
  const SocketDescription& known = socket.description;
  const bool stream =
      known.medium == Medium::tcp || known.medium == Medium::unix_stream || known.medium == Medium::unix_seqpacket;
  const bool is_unix = known.medium != Medium::tcp && known.medium != Medium::udp;
  if (is_unix && known.connected && known.local_name.empty() && known.peer_name.empty() && socket.out != nullptr) {
    if (announced_pairs_.insert(std::min(known.inode, known.peer_inode)).second) announce_pair(call, socket);
    return;
  }
  const bool accepted = stream && known.connected && (is_unix ? !known.local_name.empty() : !known.syn_counted);
  if (accepted) {
    const auto accept = awaited_paths_.take_accept(known.local_name, known.peer_name, call.execution->pid(), true);
    if (!settle_path(accept, socket) && !awaited_paths_.was_given_up(known.local_name))
      record_path(call, EventType::accept, socket, ChannelId::kNone);
    return;
  }
  if (settle_path(awaited_paths_.take_connect(call.execution->pid(), call.descriptor), socket) || paths_are_told_)
    return;
  record_path(call, EventType::socket, socket, kind_of(known));
  if (known.connected) record_path(call, EventType::connect, socket, 0);
}

void Meter::close_descriptor(const Call& call, ProcessState& process, std::size_t fd, Evidence evidence) {
  const std::uint64_t id = std::exchange(process.sockets[fd], 0);
  if (id == 0 || std::find(process.sockets.begin(), process.sockets.end(), id) != process.sockets.end()) return;
  if (const Socket* socket = conversations_.find(id)) record_path(call, EventType::destroy_path, *socket, 0, evidence);
}

void Meter::uses(const Call& call, Socket& socket) {
  constexpr std::int32_t kDescriptorsFollowed = 1 << 20;
  if (call.descriptor < 0 || call.descriptor >= kDescriptorsFollowed) return;
  ProcessState& process = processes_[call.execution->pid()];
  const auto fd = static_cast<std::size_t>(call.descriptor);
  if (fd < process.sockets.size() && process.sockets[fd] == socket.id) return;
  if (fd >= process.sockets.size()) process.sockets.resize(fd + 1);
  close_descriptor(call, process, fd, Evidence::inferred);
  const bool known_here = std::find(process.sockets.begin(), process.sockets.end(), socket.id) != process.sockets.end();
  process.sockets[fd] = socket.id;
  if (!socket.announced) {
    announce(call, socket);
  } else if (known_here && !paths_are_told_) {
    record_path(call, EventType::dup, socket, static_cast<std::uint32_t>(fd));
  }
}

void Meter::accepts(const Call& call, const Socket& listener) {
  Event event = event_of(call, EventType::accept);
  event.code = ChannelId::kNone;
  await_connection(call, event, {.accepts = true, .listener = listener.description.local_name, .peer = ""});
}

bool Meter::has_connection(std::uint32_t pid, Socket& socket) {
  const SocketDescription& known = socket.description;
  if (socket.announced || known.listening || !known.connected) return false;
  socket.announced = settle_path(awaited_paths_.take_accept(known.local_name, known.peer_name, pid, false), socket);
  return socket.announced;
}

void Meter::give_up_accept(const AwaitedPath& accept, bool it_failed) {
  const auto path = awaited_paths_.give_up(*accept.execution, accept.event);
  if (!path) return;
  if (it_failed) {
    path->execution->cancel(path->event);
    --path->execution->open_operations;
    return;
  }
  end_wait(*path);
}

void Meter::creates_socket(const Call& call, std::uint32_t kind) {
  Event event = event_of(call, EventType::socket);
  event.code = kind;
  record(call, event);
}

void Meter::connects(const Call& call) { await_connection(call, event_of(call, EventType::connect), {}); }

void Meter::duplicates(const Call& call, const Socket& socket, std::int32_t new_descriptor) {
  record_path(call, EventType::dup, socket, static_cast<std::uint32_t>(new_descriptor), Evidence::observed);
}

void Meter::closes(const Call& call) {
  const auto process = processes_.find(call.execution->pid());
  const auto fd = static_cast<std::size_t>(call.descriptor);
  if (process == processes_.end() || call.descriptor < 0 || fd >= process->second.sockets.size()) return;
  close_descriptor(call, process->second, fd, Evidence::observed);
}

}  // namespace dpm
