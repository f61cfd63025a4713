#include "backends/linux/calls/paths.hpp"

#include <utility>

namespace dpm {
namespace {

bool is_followed(std::int32_t descriptor) {
  constexpr std::int32_t kFollowed = 1 << 20;
  return descriptor >= 0 && descriptor < kFollowed;
}

std::uint32_t kind_of(const SocketDescription& socket) {
  return static_cast<std::uint32_t>(socket.domain << 16 | socket.type << 8 | socket.protocol);
}

}  // namespace

void Paths::record(const Call& call, EventType type, const Socket& socket, std::uint32_t code, Evidence evidence) {
  Event event = recorder_.event_of(call, type);
  if (socket.out != nullptr) event.channel = socket.out->channel;
  if (socket.in != nullptr) event.passed_channel = socket.in->channel;
  event.code = code;
  event.evidence = evidence;
  recorder_.record(call, event);
}

// socketpair() produces the same four events as two sockets that are created, connected and accepted (metering report
// 3.2).
void Paths::announce_pair(const Call& call, Socket& socket) {
  Socket other;
  other.out = socket.in;
  other.in = socket.out;
  const std::uint32_t kind = kind_of(socket.description);
  record(call, EventType::socket, socket, kind);
  record(call, EventType::socket, other, kind);
  record(call, EventType::connect, socket, 0);
  record(call, EventType::accept, other, ChannelId::kNone);
}

std::uint64_t Paths::await_connection(const Call& call, const Event& event, AwaitedPath path) {
  path.thread = call.thread;
  path.event = recorder_.record(call, event, false);
  path.descriptor = call.descriptor;
  path.since_ns = call.now_ns;
  if (path.event == MeteredThread::kNoEvent) return path.event;
  ++call.thread->open_operations;
  awaited_.add(path);
  return path.event;
}

void Paths::end_wait(const AwaitedPath& path) {
  path.thread->finish(path.event);
  --path.thread->open_operations;
}

bool Paths::complete(const std::optional<AwaitedPath>& path, const Socket& socket) {
  if (!path) return false;
  if (Event* event = path->thread->event(path->event)) {
    if (socket.out != nullptr) event->channel = socket.out->channel;
    if (socket.in != nullptr) event->passed_channel = socket.in->channel;
  }
  end_wait(*path);
  return true;
}

void Paths::announce(const Call& call, Socket& socket) {
  socket.announced = true;
  const SocketDescription& known = socket.description;
  const bool stream =
      known.medium == Medium::tcp || known.medium == Medium::unix_stream || known.medium == Medium::unix_seqpacket;
  const bool is_unix = known.medium != Medium::tcp && known.medium != Medium::udp;
  if (is_unix && known.connected && known.local_name.empty() && known.peer_name.empty() && socket.out != nullptr) {
    // Which process has the other end of a pair that is older than the metering, is not known.
    const bool is_new_pair =
        !std::exchange(socket.out->pair_announced, true) && !std::exchange(socket.in->pair_announced, true);
    if (!processes_.was_acquired()) {
      if (is_new_pair) announce_pair(call, socket);
      return;
    }
  }
  const bool accepted = stream && known.connected && (is_unix ? !known.local_name.empty() : !known.syn_counted);
  if (accepted) {
    const auto accept = awaited_.take_accept(known.local_name, known.peer_name, call.thread->pid(), true);
    if (!complete(accept, socket) && !awaited_.was_given_up(known.local_name))
      record(call, EventType::accept, socket, ChannelId::kNone);
    return;
  }
  if (complete(awaited_.take_connect(call.thread->pid(), call.descriptor), socket) || are_told_) return;
  record(call, EventType::socket, socket, kind_of(known));
  if (known.connected) record(call, EventType::connect, socket, 0);
}

// Once a process has no descriptor of a socket, its operations on the socket are over.
void Paths::put_descriptor(const Call& call, DescriptorTable& table, std::size_t fd, std::uint64_t socket,
                           Evidence evidence) {
  const std::uint64_t left = table.put(fd, socket);
  const Socket* before = left == 0 ? nullptr : conversations_.find(left);
  if (before == nullptr) return;
  assume_probable_of_process(call.thread->pid(), *before);
  record(call, EventType::destroy_path, *before, 0, evidence);
}

// For TCP the kernel will report what the operations moved.
void Paths::assume_probable_of_process(std::uint32_t pid, const Socket& socket) const {
  if (ends_expected_ && socket.description.medium == Medium::tcp) return;
  if (socket.out != nullptr) socket.out->sent.accept_of_process(pid);
  if (socket.in == nullptr) return;
  const std::uint64_t sent = socket.in->sent.expected();
  socket.in->received.accept_of_process(pid, sent == 0 ? UINT64_MAX : sent);
}

void Paths::uses(const Call& call, Socket& socket) {
  conversations_.is_used(socket);
  if (socket.first_pid == 0) socket.first_pid = call.thread->pid();
  const Medium medium = socket.description.medium;
  const bool takes_datagrams = medium == Medium::unix_datagram || medium == Medium::unix_seqpacket;
  if (takes_datagrams && !std::exchange(socket.takes_datagrams, true)) checks_.datagram_socket();
  if (!is_followed(call.descriptor)) return;
  DescriptorTable& table = tables_[call.thread->pid()];
  const auto fd = static_cast<std::size_t>(call.descriptor);
  if (table.at(fd) == socket.id && socket.announced) return;
  const bool known_here = table.holds(socket.id);
  put_descriptor(call, table, fd, socket.id, Evidence::inferred);
  if (!socket.announced) {
    announce(call, socket);
  } else if (known_here && !are_told_) {
    record(call, EventType::dup, socket, static_cast<std::uint32_t>(fd));
  }
}

void Paths::end_survey(OpenFiles open, const std::vector<std::uint32_t>& not_seen) {
  for (const std::uint32_t pid : not_seen) {
    open.complete = false;
    const auto table = tables_.find(pid);
    if (table == tables_.end()) continue;
    table->second.for_each_socket([&open](std::uint64_t socket) { open.cookies.insert(socket); });
  }
  conversations_.end_survey(open);
}

std::uint64_t Paths::accepts(const Call& call, const Socket& listener) {
  Event event = recorder_.event_of(call, EventType::accept);
  event.code = ChannelId::kNone;
  return await_connection(call, event, {.accepts = true, .listener = listener.description.local_name, .peer = ""});
}

bool Paths::has_connection(std::uint32_t pid, Socket& socket) {
  const SocketDescription& known = socket.description;
  if (socket.announced || known.listening || !known.connected) return false;
  socket.announced = complete(awaited_.take_accept(known.local_name, known.peer_name, pid, false), socket);
  return socket.announced;
}

void Paths::give_up_accept(const AwaitedPath& accept, bool it_failed) {
  const auto path = awaited_.give_up(*accept.thread, accept.event);
  if (!path) return;
  if (it_failed) {
    path->thread->cancel(path->event);
    --path->thread->open_operations;
    return;
  }
  end_wait(*path);
}

void Paths::creates_socket(const Call& call, std::uint32_t kind) {
  Event event = recorder_.event_of(call, EventType::socket);
  event.code = kind;
  recorder_.record(call, event);
}

void Paths::connects(const Call& call) { await_connection(call, recorder_.event_of(call, EventType::connect), {}); }

void Paths::connected(const Call& call, Socket* socket) {
  if (socket != nullptr && socket->announced && !keeps_boundaries(socket->description.medium)) return;
  connects(call);
  if (socket == nullptr) return;
  uses(call, *socket);
  // A socket for datagrams that has got another peer was announced before.
  complete(awaited_.take_connect(call.thread->pid(), call.descriptor), *socket);
}

void Paths::duplicates(const Call& call, const Socket& socket, std::int32_t new_descriptor) {
  record(call, EventType::dup, socket, static_cast<std::uint32_t>(new_descriptor), Evidence::observed);
  if (socket.id == 0 || new_descriptor < 0) return;
  DescriptorTable& table = tables_[call.thread->pid()];
  for (const std::int32_t fd : {call.descriptor, new_descriptor})
    if (is_followed(fd)) put_descriptor(call, table, static_cast<std::size_t>(fd), socket.id, Evidence::observed);
}

void Paths::listens(const Call& call, Socket& socket) {
  conversations_.is_used(socket);
  socket.announced = true;
  if (call.descriptor < 0) return;
  put_descriptor(call, tables_[call.thread->pid()], static_cast<std::size_t>(call.descriptor), socket.id,
                 Evidence::inferred);
}

void Paths::closes(const Call& call) {
  const auto table = tables_.find(call.thread->pid());
  const auto fd = static_cast<std::size_t>(call.descriptor);
  if (table == tables_.end() || call.descriptor < 0 || fd >= table->second.size()) return;
  put_descriptor(call, table->second, fd, 0, Evidence::observed);
}

void Paths::leave(const MeteredThread& thread) {
  for (const AwaitedPath& path : awaited_.give_up_all_of(thread)) end_wait(path);
}

void Paths::give_up_old_connects(std::int64_t since_ns) {
  for (const AwaitedPath& path : awaited_.take_old_connects(since_ns)) end_wait(path);
}

void Paths::executed(std::uint32_t pid) {
  conversations_.eventfds().left(pid);
  tables_.erase(pid);
}

void Paths::process_ended(const Call& call) {
  const std::uint32_t pid = call.thread->pid();
  if (const auto table = tables_.find(pid); table != tables_.end()) {
    for (std::size_t fd = 0; fd < table->second.size(); ++fd)
      put_descriptor(call, table->second, fd, 0, Evidence::inferred);
    tables_.erase(table);
  }
  conversations_.eventfds().left(pid);
}

}  // namespace dpm
