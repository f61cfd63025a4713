#include "backends/linux/supervisor/sends.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <utility>

#include "backends/linux/supervisor/call_arguments.hpp"

namespace dpm {
namespace {

// The kernel makes one message of a send up to this size: all of it is there, or nothing.
constexpr std::uint64_t kOneMessageBytes = 32768;

// As it is numbered among the files of held calls. `sending`: a pipe is the same file at both ends.
std::uint64_t receiving_file(const Flow& flow, const DescriptorIdentity& sending) {
  if (sending.kind != DescriptorIdentity::Kind::socket) return sending.number();
  return DescriptorIdentity{.kind = sending.kind, .id = flow.receiver_id}.number();
}

}  // namespace

CallOutcome Sends::send(const Notification& notification, const MeteredCall& shape, TrackedThread& thread,
                        std::uint64_t available, const Flow* from) {
  const auto channel = inspector_.resolve_channel(notification, shape, thread);
  if (!channel) {
    if (thread.was_socket(descriptor_of(notification, shape))) note_fast_open(notification, shape, thread);
    return CallOutcome::let_go;
  }
  const bool is_urgent = (flags_of(notification, shape) & MSG_OOB) != 0;
  if (is_urgent && channel->socket != nullptr) {
    const Medium medium = channel->socket->description.medium;
    if (keeps_boundaries(medium)) return CallOutcome::let_go;  // EOPNOTSUPP
    if (medium != Medium::tcp) inspector_.bypasses().passes(Bypass::urgent, thread.metered->pid());
  }
  if (channel->identity.kind == DescriptorIdentity::Kind::pipe && shared_.files.keeps_packets(channel->fd.get()))
    inspector_.bypasses().passes(Bypass::packet_pipe, thread.metered->pid());
  const Socket* const socket = channel->socket;
  if (channel->identity.kind == DescriptorIdentity::Kind::eventfd) {
    send_units(notification, shape, thread, *channel);
    return CallOutcome::let_go;
  }
  const bool opens = (flags_of(notification, shape) & MSG_FASTOPEN) != 0;
  if (opens && socket != nullptr && socket->description.medium == Medium::tcp) return CallOutcome::let_go;  // EISCONN
  const Call call = inspector_.describe_call(notification, shape, thread);
  if (socket != nullptr) shared_.meter.paths().uses(call, *channel->socket);
  if (socket != nullptr && keeps_boundaries(socket->description.medium)) {
    const Flow* flow = send_datagrams(notification, shape, channel->fd.get(), *channel->socket, call, available);
    // What is sent over a network, loopback included, leaves the sender's memory at once.
    if (flow != nullptr && socket->description.medium != Medium::udp)
      restarts_.sends(thread, notification, channel->fd.get(), channel->identity, *flow);
    return CallOutcome::let_go;
  }
  return send_bytes(notification, shape, thread, *channel, call, available, from);
}

CallOutcome Sends::send_bytes(const Notification& notification, const MeteredCall& shape, TrackedThread& thread,
                              const ResolvedChannel& channel, const Call& call, std::uint64_t available,
                              const Flow* from) {
  const auto& [fd, identity, socket] = channel;
  Flow* flow = socket == nullptr ? &shared_.meter.conversations().pipe(identity.device, identity.id) : socket->out;
  if (flow == nullptr) return CallOutcome::let_go;
  const std::uint64_t asked = asked_bytes(notification, shape);
  Amount amount{asked, std::min(asked, available)};
  amount.shows_in_pipe = flow->is_pipe && !call.counted_in_io;
  if (from != nullptr) {
    amount.told_by_other_end = !flow->exact && (from->exact || from->is_pipe);
    amount.tells_other_end = !from->exact && (flow->exact || flow->is_pipe);
    amount.shows_in_pipe &= !from->exact;
  }
  if (flow->exact) {
    const auto state = shared_.files.tcp_send_state(fd.get(), socket->description.syn_counted, flow->sent.expected());
    if (!state) return CallOutcome::let_go;
    if (state->ended) {
      shared_.meter.resolve_at(call, *flow, true, state->offset);
      return CallOutcome::let_go;
    }
    amount.offset = state->offset;
    flow->may_be_urgent |= (flags_of(notification, shape) & MSG_OOB) != 0;
    settle_receive(call, *socket, fd.get());
    if (!waits_for_room(notification, shape, fd.get()) && shared_.files.room_to_send(fd.get(), asked) == SendRoom::none)
      amount.probable = 0;
  } else {
    if (call.counted_in_io && !thread.counters_read) inspector_.read_counters(thread);
    if (shared_.files.cannot_send(fd.get())) return CallOutcome::let_go;
    if (!call.counted_in_io) {
      const SendRoom room = room_for(notification, shape, fd.get(), asked);
      if (room == SendRoom::none && must_fail(notification, shape, fd.get())) {
        shared_.answers.fail(notification.id, EAGAIN);
        return CallOutcome::answered;
      }
      amount.moves_all = room == SendRoom::all;
      const bool fits = asked <= kOneMessageBytes || shared_.files.room_to_send(fd.get(), asked) == SendRoom::all;
      if (socket != nullptr && !amount.told_by_other_end && (!fits || !amount.moves_all))
        amount.partial = watch_part(call, *flow, *socket, fd.get());
      if (amount.partial) {
        amount.partial->bytes = amount.probable;
        amount.partial->may_wait = blocks(notification, shape, fd.get());
        amount.partial->moves_all = amount.moves_all;
      }
    }
  }
  shared_.meter.sends(call, *flow, amount);
  held_.may_come(receiving_file(*flow, identity), call.time);
  if (!flow->exact && !call.counted_in_io) restarts_.sends(thread, notification, fd.get(), identity, *flow);
  return CallOutcome::let_go;
}

// What the send moved will show, unless another thread is sending there.
std::optional<PartialSend> Sends::watch_part(const Call& call, Flow& flow, const Socket& socket, int fd) {
  const bool is_anothers = flow.partial && flow.partial->by != call.thread;
  if (flow.passed_by || (is_anothers && !inspector_.settle_partial(flow, nullptr))) return std::nullopt;
  PartialSend send{.by = call.thread,
                   .tid = call.thread->tid(),
                   .call_number = call.thread->call_number,
                   .first_argument = call.first_argument,
                   .since_ns = call.now_ns,
                   .other_end = socket.description.peer_inode};
  if (send.other_end == 0) send.other_end = shared_.files.describe_socket(fd).peer_inode;  // accepted since
  send.is_certain = !inspector_.is_receiving(flow, nullptr);
  const auto waiting = send.other_end == 0 ? std::nullopt : shared_.files.bytes_waiting_at(send.other_end);
  if (waiting && send.is_certain) settle_receives(call, flow, *waiting);
  const bool is_received_by_others = waiting && flow.receives == 0 && *waiting < flow.sent.next();
  return waiting && !is_received_by_others ? std::optional(send) : std::nullopt;
}

// No receive is being made: those whose length is not known yet have taken what does not wait.
void Sends::settle_receives(const Call& call, Flow& flow, std::uint64_t waiting) {
  const TrackedThread* const reader = shared_.table.thread(flow.receiver.tid);
  const auto received = reader == nullptr ? std::nullopt : shared_.meter.received(flow, waiting, false);
  if (!received || !received->certain) return;
  const Call its{.thread = reader->metered, .time = call.time, .now_ns = call.now_ns};
  shared_.meter.resolve_at(its, flow, false, received->bytes);
}

// A receive before it on the same socket is over. It may have been the last, and have taken what came after the look at it.
void Sends::settle_receive(const Call& call, Socket& socket, int fd) {
  if (socket.in == nullptr || socket.in->received.find(call.thread) == nullptr) return;
  const auto received = shared_.files.tcp_receive_state(fd, socket.in->received.expected(), socket.in->may_be_urgent);
  if (received) shared_.meter.resolve_at(call, *socket.in, false, received->offset);
}

// A send on a stream that is not connected fails, or connects it (MSG_FASTOPEN, TCP_FASTOPEN_CONNECT). Which of them shows when it is over.
void Sends::note_fast_open(const Notification& notification, const MeteredCall& shape, TrackedThread& thread) {
  const UniqueFd fd = inspector_.borrow(thread, descriptor_of(notification, shape));
  if (!fd || shared_.files.identify(fd.get()).kind != DescriptorIdentity::Kind::socket) return;
  const SocketDescription socket = shared_.files.describe_socket(fd.get());
  if (socket.medium != Medium::tcp || socket.connected || socket.listening) return;
  thread.fast_open = {inspector_.describe_call(notification, shape, thread), asked_bytes(notification, shape)};
}

void Sends::settle_parts(TrackedThread& thread, bool is_last_chance) {
  for (const FlowEnd& end : thread.metered->open_ends()) {
    Flow& flow = *end.flow;
    if (flow.is_pipe) inspector_.settle_pipe(flow, thread.metered);
    if (!end.sending || !flow.partial || flow.partial->by != thread.metered) continue;
    if (!inspector_.settle_partial(flow, thread.metered) && is_last_chance)
      shared_.meter.settle_partial(flow, shared_.files.bytes_waiting_at(flow.partial->other_end));
  }
}

// The place in the file tells what was taken out of it, unless the program has moved it since.
void Sends::settle_by_file(TrackedThread& thread) {
  const auto [descriptor, address, before, call_number] = *std::exchange(thread.read_file, std::nullopt);
  const auto place = place_in_file(thread, descriptor, address);
  if (!place || *place <= before) return;
  for (const FlowEnd& end : thread.metered->open_ends())
    if (end.sending && end.flow->is_pipe)
      end.flow->sent.settle_from_file(*thread.metered, call_number, static_cast<std::uint64_t>(*place - before));
}

std::optional<std::int64_t> Sends::offset_at(std::uint32_t tid, std::uint64_t address) {
  std::int64_t offset = 0;
  const auto into = std::as_writable_bytes(std::span(&offset, 1));
  return shared_.kernel.read_memory(tid, address, into) == into.size() ? std::optional(offset) : std::nullopt;
}

// At `address`, or the file's own.
std::optional<std::int64_t> Sends::place_in_file(TrackedThread& thread, std::int32_t descriptor,
                                                 std::uint64_t address) {
  if (address != 0) return offset_at(thread.metered->tid(), address);
  const UniqueFd fd = inspector_.borrow(thread, descriptor);
  return fd ? shared_.files.place_in_file(fd.get()) : std::nullopt;
}

// From the offset that the call gives, or else the file's own.
std::uint64_t Sends::bytes_left(const Notification& notification, const MeteredCall& shape, int file) {
  const std::uint64_t address = notification.arguments[static_cast<std::size_t>(shape.source_at)];
  if (address == 0) return shared_.files.bytes_left_in_file(file, std::nullopt);
  const auto given = offset_at(notification.tid, address);
  return given ? shared_.files.bytes_left_in_file(file, given) : UINT64_MAX;
}

void Sends::send_from_file(const Notification& notification, const MeteredCall& shape, TrackedThread& thread,
                           int file) {
  const auto descriptor = static_cast<std::int32_t>(notification.arguments[static_cast<std::size_t>(shape.source)]);
  const std::uint64_t address = notification.arguments[static_cast<std::size_t>(shape.source_at)];
  const auto place = shape.counted_in_io ? std::nullopt : place_in_file(thread, descriptor, address);
  send(notification, shape, thread, bytes_left(notification, shape, file));
  if (place) thread.read_file = {descriptor, address, *place, thread.metered->call_number};
}

void Sends::is_over(TrackedThread& thread) {
  settle_parts(thread, false);
  if (thread.read_file) settle_by_file(thread);
  if (!thread.fast_open) return;
  const auto [call, asked] = *std::exchange(thread.fast_open, std::nullopt);
  const UniqueFd fd = inspector_.borrow(thread, call.descriptor);
  const DescriptorIdentity identity = fd ? shared_.files.identify(fd.get()) : DescriptorIdentity{};
  if (identity.kind != DescriptorIdentity::Kind::socket) return;
  Socket* const socket = inspector_.socket_behind(fd.get(), identity.id);
  if (socket == nullptr || socket->out == nullptr || !socket->out->exact) return;
  socket->description.syn_counted = true;
  const auto state = shared_.files.tcp_send_state(fd.get(), true, 0);
  if (!state) return;
  shared_.meter.paths().uses(call, *socket);
  shared_.meter.sends(call, *socket->out, {asked, asked, 0});
  shared_.meter.resolve_at(call, *socket->out, true, state->offset);
}

// A call that waits for room sends everything.
SendRoom Sends::room_for(const Notification& notification, const MeteredCall& shape, int fd, std::uint64_t asked) {
  const bool waits = waits_for_room(notification, shape, fd);
  if (shape.family == CallFamily::send) return waits ? SendRoom::all : shared_.files.room_to_send(fd, asked);
  return waits || shared_.files.room_to_send(fd, asked) != SendRoom::none ? SendRoom::part : SendRoom::none;
}

// splice() and vmsplice() do not ask the descriptor.
bool Sends::blocks(const Notification& notification, const MeteredCall& shape, int fd) {
  if ((flags_of(notification, shape) & MSG_DONTWAIT) != 0) return false;
  return shape.family == CallFamily::give || !shared_.files.is_non_blocking(fd);
}

// For as long as it takes.
bool Sends::waits_for_room(const Notification& notification, const MeteredCall& shape, int fd) {
  return blocks(notification, shape, fd) &&
         (shape.family == CallFamily::give || shared_.files.send_timeout_ns(fd) == 0);
}

// EAGAIN is what the kernel would answer at this instant. If the call went on, it would send all or a part when a
// receiver makes room before the kernel carries it out.
bool Sends::must_fail(const Notification& notification, const MeteredCall& shape, int fd) {
  return !blocks(notification, shape, fd) && can_only_be_eagain(notification, shape) &&
         shared_.files.fails_for_room_only(fd);
}

const Flow* Sends::send_datagrams(const Notification& notification, const MeteredCall& shape, int fd, Socket& socket,
                                  const Call& call, std::uint64_t available) {
  const bool is_udp = socket.description.medium == Medium::udp;
  const std::uint64_t segment = is_udp ? shared_.files.segment_bytes(fd) : 0;
  const bool is_kept_back = is_udp && (flags_of(notification, shape) & MSG_MORE) != 0;
  const bool has_no_name = socket.description.medium == Medium::unix_datagram && socket.description.local_name.empty();
  const bool is_marked = has_no_name && socket.out == nullptr;
  const Flow* flow = nullptr;
  // False if the call ends here.
  const auto send = [&](GivenMessage message, std::size_t place) {
    message.beginning = is_marked ? given_beginning(notification, shape, place) : 0;
    message.bytes += std::exchange(socket.kept_back, 0);
    if (is_kept_back) {
      socket.kept_back = message.bytes;
      return true;
    }
    const std::uint64_t own_segment = is_udp && message.segment != 0 ? message.segment : segment;
    const Flow* const sent_by = send_segments(call, fd, socket, message, own_segment);
    if (sent_by != nullptr) flow = sent_by;
    return sent_by != nullptr;
  };
  if (shape.length != LengthForm::messages) {
    GivenMessage message = given_message(notification, shape);
    message.bytes = std::min(message.bytes, available);
    send(message, 0);
    return flow;
  }
  const auto messages = given_messages(notification, shape);
  for (std::size_t i = 0; i < messages.size(); ++i)
    if (!send(messages[i], i)) break;  // sendmmsg() ends where one fails
  return flow;
}

// The kernel divides the message into datagrams of this size (UDP_SEGMENT); 0: it is one.
const Flow* Sends::send_segments(const Call& call, int fd, Socket& socket, const GivenMessage& message,
                                 std::uint64_t segment) {
  if (segment == 0) return send_datagram(call, fd, socket, message.bytes, message);
  if (shared_.files.refuses_datagram(fd, socket.description, message.bytes)) return nullptr;
  const Flow* flow = nullptr;
  for (std::uint64_t left = message.bytes; left > 0; left -= std::min(left, segment)) {
    flow = send_datagram(call, fd, socket, std::min(left, segment), message);
    if (flow == nullptr) break;
  }
  return flow;
}

// `bytes`: of the message, or of a part of it that is a datagram. Nothing if it is refused.
const Flow* Sends::send_datagram(const Call& call, int fd, Socket& socket, std::uint64_t bytes,
                                 const GivenMessage& message) {
  if (shared_.files.refuses_datagram(fd, socket.description, bytes)) return nullptr;
  const std::string& receiver = message.receiver;
  Flow* flow = socket.out;
  if (flow == nullptr || !receiver.empty()) {
    // The first send binds an unconnected socket to its address; connect() decides where a connected one sends to.
    const bool settled =
        !socket.description.local_name.ends_with(":0") && (socket.description.connected || !receiver.empty());
    if (!settled) socket.description = shared_.files.describe_socket(fd);
    const std::string& to = receiver.empty() ? socket.description.peer_name : receiver;
    if (to.empty()) return nullptr;
    flow = &shared_.meter.conversations().datagrams_to(socket, to);
  }
  shared_.meter.sends_datagram(
      call, *flow, {.bytes = bytes, .sender = socket.description.local_name, .beginning = message.beginning});
  return flow;
}

// Of a vector each part is a number of its own.
std::uint64_t Sends::given_units(const Notification& notification, const MeteredCall& shape) {
  constexpr std::size_t kPartsMax = 16;
  const auto read = [&](std::uint64_t address, auto&& into) {
    return shared_.kernel.read_memory(notification.tid, address, std::as_writable_bytes(into)) / sizeof into[0];
  };
  std::uint64_t value = 0;
  if (shape.length == LengthForm::argument) {
    if (asked_bytes(notification, shape) < kUnitCallBytes) return 0;
    return read(notification.arguments[1], std::span(&value, 1)) == 1 ? value : 0;
  }
  std::array<iovec, kPartsMax> parts;
  const std::size_t count = std::min<std::uint64_t>(notification.arguments[2], kPartsMax);
  std::uint64_t sum = 0;
  for (const iovec& part : std::span(parts).first(read(notification.arguments[1], std::span(parts).first(count)))) {
    if (part.iov_len < kUnitCallBytes) break;
    sum += read(reinterpret_cast<std::uint64_t>(part.iov_base), std::span(&value, 1)) == 1 ? value : 0;
  }
  return sum;
}

void Sends::send_units(const Notification& notification, const MeteredCall& shape, TrackedThread& thread,
                       const ResolvedChannel& channel) {
  constexpr std::uint64_t kCountMax = UINT64_MAX - 1;  // a write that would go beyond waits, or fails
  if (shape.family != CallFamily::send) return;
  constexpr std::uint64_t kTakenFlags = RWF_HIPRI;  // others are refused
  if (shape.rw_flags >= 0 && (notification.arguments[static_cast<std::size_t>(shape.rw_flags)] & ~kTakenFlags) != 0)
    return;
  const std::uint64_t value = given_units(notification, shape);
  const auto counter = shared_.files.read_event_counter(channel.fd.get());
  if (!counter || value == 0 || value > kCountMax - std::min(counter->count, kCountMax)) return;
  const Call call = inspector_.describe_call(notification, shape, thread);
  Flow& flow = shared_.meter.conversations().eventfds().used_by(thread.metered->pid(), counter->id, counter->count);
  shared_.meter.adds_units(call, flow, value);
  restarts_.moves_units(thread, notification, channel.identity, flow, counter->count);
}

}  // namespace dpm
