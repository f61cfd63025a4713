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

// As it is numbered among the files of held calls. `sending`: a pipe is the same file at both ends.
std::uint64_t receiving_file(const Flow& flow, const DescriptorIdentity& sending) {
  if (sending.kind != DescriptorIdentity::Kind::socket) return sending.number();
  return DescriptorIdentity{.kind = sending.kind, .id = flow.receiver_id}.number();
}

}  // namespace

CallOutcome Sends::send(const Notification& notification, const MeteredCall& shape, TrackedThread& thread,
                        std::uint64_t available) {
  const auto channel = inspector_.resolve_channel(notification, shape, thread);
  if (!channel) {
    if (thread.was_socket(descriptor_of(notification, shape))) note_fast_open(notification, shape, thread);
    return CallOutcome::let_go;
  }
  if ((flags_of(notification, shape) & MSG_OOB) != 0)
    inspector_.bypasses().passes(Bypass::urgent, thread.metered->pid());
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
    send_datagrams(notification, shape, channel->fd.get(), *channel->socket, call);
    // What is sent over a network, loopback included, leaves the sender's memory at once.
    if (socket->out != nullptr && socket->description.medium != Medium::udp)
      restarts_.sends(thread, notification, channel->fd.get(), channel->identity, *socket->out);
    return CallOutcome::let_go;
  }
  return send_bytes(notification, shape, thread, *channel, call, available);
}

CallOutcome Sends::send_bytes(const Notification& notification, const MeteredCall& shape, TrackedThread& thread,
                              const ResolvedChannel& channel, const Call& call, std::uint64_t available) {
  const auto& [fd, identity, socket] = channel;
  Flow* flow = socket == nullptr ? &shared_.meter.conversations().pipe(identity.device, identity.id) : socket->out;
  if (flow == nullptr) return CallOutcome::let_go;
  const std::uint64_t asked = asked_bytes(notification, shape);
  Amount amount{asked, std::min(asked, available)};
  if (flow->exact) {
    const auto state = shared_.files.tcp_send_state(fd.get(), socket->description.syn_counted, flow->sent.expected());
    if (!state) return CallOutcome::let_go;
    if (state->ended) {
      shared_.meter.resolve_at(call, *flow, true, state->offset);
      return CallOutcome::let_go;
    }
    amount.offset = state->offset;
    settle_receive(call, *socket, fd.get());
    if (!waits_for_room(notification, shape, fd.get()) && shared_.files.room_to_send(fd.get(), asked) == SendRoom::none)
      amount.probable = 0;
  } else {
    if (call.counted_in_io && !thread.counters_read) inspector_.read_counters(thread);
    if (shared_.files.cannot_send(fd.get())) return CallOutcome::let_go;
    if (!call.counted_in_io) {
      const SendRoom room = room_for(notification, shape, fd.get(), asked);
      if (room == SendRoom::none && shape.family == CallFamily::give) return CallOutcome::let_go;
      if (room == SendRoom::none && must_fail(notification, shape, fd.get())) {
        shared_.answers.fail(notification.id, EAGAIN);
        return CallOutcome::answered;
      }
      amount.moves_all = room == SendRoom::all;
    }
  }
  shared_.meter.sends(call, *flow, amount);
  held_.may_come(receiving_file(*flow, identity), call.time);
  if (!flow->exact && !call.counted_in_io) restarts_.sends(thread, notification, fd.get(), identity, *flow);
  return CallOutcome::let_go;
}

// A receive before it on the same socket is over. It may have been the last, and have taken what came after the look at it.
void Sends::settle_receive(const Call& call, Socket& socket, int fd) {
  if (socket.in == nullptr || socket.in->received.find(call.thread) == nullptr) return;
  const auto received = shared_.files.tcp_receive_state(fd, socket.in->received.expected());
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

void Sends::is_over(TrackedThread& thread) {
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

void Sends::send_datagrams(const Notification& notification, const MeteredCall& shape, int fd, Socket& socket,
                           const Call& call) {
  const std::uint64_t segment = socket.description.medium == Medium::udp ? shared_.files.segment_bytes(fd) : 0;
  if (shape.length != LengthForm::messages) {
    const std::uint64_t given = socket.description.medium == Medium::udp ? given_segment(notification, shape) : 0;
    send_segments(call, fd, socket, {asked_bytes(notification, shape), given_receiver(notification, shape)},
                  given == 0 ? segment : given);
    return;
  }
  for (const auto& message : given_messages(notification, shape))
    if (!send_segments(call, fd, socket, message, segment)) return;  // sendmmsg() ends where one fails
}

// The kernel divides the message into datagrams of this size (UDP_SEGMENT); 0: it is one.
bool Sends::send_segments(const Call& call, int fd, Socket& socket, const GivenMessage& message,
                          std::uint64_t segment) {
  if (segment == 0) return send_datagram(call, fd, socket, message.bytes, message.receiver);
  for (std::uint64_t left = message.bytes; left > 0; left -= std::min(left, segment))
    if (!send_datagram(call, fd, socket, std::min(left, segment), message.receiver)) return false;
  return true;
}

bool Sends::send_datagram(const Call& call, int fd, Socket& socket, std::uint64_t bytes, const std::string& receiver) {
  if (shared_.files.refuses_datagram(fd, socket.description, bytes)) return false;
  Flow* flow = socket.out;
  if (flow == nullptr || !receiver.empty()) {
    // The first send binds an unconnected socket to its address; connect() decides where a connected one sends to.
    const bool settled =
        !socket.description.local_name.ends_with(":0") && (socket.description.connected || !receiver.empty());
    if (!settled) socket.description = shared_.files.describe_socket(fd);
    const std::string& to = receiver.empty() ? socket.description.peer_name : receiver;
    if (to.empty()) return false;
    flow = &shared_.meter.conversations().datagrams_to(socket, to);
  }
  shared_.meter.sends_datagram(call, *flow, bytes);
  return true;
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
