#include "backends/linux/supervisor/sends.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

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
  if ((flags_of(notification, shape) & MSG_OOB) != 0) return CallOutcome::let_go;
  const auto channel = inspector_.resolve_channel(notification, shape, thread);
  if (!channel) return CallOutcome::let_go;
  const Socket* const socket = channel->socket;
  if (channel->identity.kind == DescriptorIdentity::Kind::eventfd) {
    send_units(notification, shape, thread, *channel);
    return CallOutcome::let_go;
  }
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
    }
  }
  shared_.meter.sends(call, *flow, amount);
  held_.may_come(receiving_file(*flow, identity), call.time);
  if (!flow->exact && !call.counted_in_io) restarts_.sends(thread, notification, fd.get(), identity, *flow);
  return CallOutcome::let_go;
}

// A call that waits for room sends everything.
SendRoom Sends::room_for(const Notification& notification, const MeteredCall& shape, int fd, std::uint64_t asked) {
  if (shape.family != CallFamily::send) return SendRoom::part;
  const bool may_wait = (flags_of(notification, shape) & MSG_DONTWAIT) == 0 && !shared_.files.is_non_blocking(fd);
  return may_wait ? SendRoom::all : shared_.files.room_to_send(fd, asked);
}

// EAGAIN is what the kernel would answer at this instant. If the call went on, it would send all or a part when a
// receiver makes room before the kernel carries it out.
bool Sends::must_fail(const Notification& notification, const MeteredCall& shape, int fd) {
  return can_only_be_eagain(notification, shape) && shared_.files.fails_for_room_only(fd);
}

void Sends::send_datagrams(const Notification& notification, const MeteredCall& shape, int fd, Socket& socket,
                           const Call& call) {
  if (shape.length != LengthForm::messages) {
    send_datagram(call, fd, socket, asked_bytes(notification, shape), given_receiver(notification, shape));
    return;
  }
  for (const auto& message : given_messages(notification, shape))
    if (!send_datagram(call, fd, socket, message.bytes, message.receiver)) return;  // sendmmsg() ends where one fails
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

void Sends::send_units(const Notification& notification, const MeteredCall& shape, TrackedThread& thread,
                       const ResolvedChannel& channel) {
  constexpr std::uint64_t kCountMax = UINT64_MAX - 1;  // a write that would go beyond waits, or fails
  std::uint64_t value = 0;
  const auto into = std::as_writable_bytes(std::span(&value, 1));
  // Programs hardly ever write the number from several parts or from a file.
  if (shape.family != CallFamily::send || shape.length != LengthForm::argument) return;
  if (asked_bytes(notification, shape) < kUnitCallBytes ||
      shared_.kernel.read_memory(notification.tid, notification.arguments[1], into) != into.size())
    return;
  const auto counter = shared_.files.read_event_counter(channel.fd.get());
  if (!counter || value == 0 || value > kCountMax - std::min(counter->count, kCountMax)) return;
  const Call call = inspector_.describe_call(notification, shape, thread);
  Flow& flow = shared_.meter.conversations().eventfds().used_by(thread.metered->pid(), counter->id, counter->count);
  shared_.meter.adds_units(call, flow, value);
  restarts_.moves_units(thread, notification, channel.identity, flow, counter->count);
}

}  // namespace dpm
