// Paths made and closed are usually not notified (those calls must not be disturbed): they are inferred when a
// descriptor is used the first time, shows another socket than before, or its process ends.
#include <algorithm>
#include <utility>

#include "backends/linux/capture/calls/meter.hpp"

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
    if (!std::exchange(socket.out->pair_announced, true) && !std::exchange(socket.in->pair_announced, true))
      announce_pair(call, socket);
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

// A socket that a process has no descriptor of any more is not received from or sent to by it any more: what it did
// there is over.
void Meter::put_descriptor(const Call& call, ProcessState& process, std::size_t fd, std::uint64_t socket,
                           Evidence evidence) {
  const std::uint64_t left = process.sockets.put(fd, socket);
  const Socket* before = left == 0 ? nullptr : conversations_.find(left);
  if (before == nullptr) return;
  accept_of_process(call.execution->pid(), *before);
  record_path(call, EventType::destroy_path, *before, 0, evidence);
}

// Of TCP the kernel will tell what it was.
void Meter::accept_of_process(std::uint32_t pid, const Socket& socket) const {
  if (ends_are_told_ && socket.description.medium == Medium::tcp) return;
  if (socket.out != nullptr) socket.out->sent.accept_of_process(pid);
  if (socket.in == nullptr) return;
  const std::uint64_t sent = socket.in->sent.expected();
  socket.in->received.accept_of_process(pid, sent == 0 ? UINT64_MAX : sent);
}

void Meter::uses(const Call& call, Socket& socket) {
  constexpr std::int32_t kDescriptorsFollowed = 1 << 20;
  conversations_.is_used(socket);
  const Medium medium = socket.description.medium;
  const bool takes_datagrams = medium == Medium::unix_datagram || medium == Medium::unix_seqpacket;
  if (takes_datagrams && !std::exchange(socket.takes_datagrams, true)) checks_.datagram_socket();
  if (call.descriptor < 0 || call.descriptor >= kDescriptorsFollowed) return;
  ProcessState& process = processes_[call.execution->pid()];
  const auto fd = static_cast<std::size_t>(call.descriptor);
  if (process.sockets.at(fd) == socket.id) return;
  const bool known_here = process.sockets.holds(socket.id);
  put_descriptor(call, process, fd, socket.id, Evidence::inferred);
  if (!socket.announced) {
    announce(call, socket);
  } else if (known_here && !paths_are_told_) {
    record_path(call, EventType::dup, socket, static_cast<std::uint32_t>(fd));
  }
}

void Meter::end_survey(OpenFiles open, const std::vector<std::uint32_t>& not_seen) {
  for (const std::uint32_t pid : not_seen) {
    open.complete = false;
    const auto process = processes_.find(pid);
    if (process == processes_.end()) continue;
    process->second.sockets.for_each_socket([&open](std::uint64_t socket) { open.cookies.insert(socket); });
  }
  conversations_.end_survey(open);
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
  put_descriptor(call, process->second, fd, 0, Evidence::observed);
}

}  // namespace dpm
