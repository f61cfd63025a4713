#include "backends/linux/supervisor/receives.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>

#include "backends/linux/supervisor/call_arguments.hpp"

namespace dpm {
namespace {

// Flags of calls that take nothing from the stream, or take something out of order.
constexpr std::uint64_t kNotAReceive = MSG_PEEK | MSG_OOB | MSG_ERRQUEUE;

std::uint64_t argument(const Notification& notification, std::int16_t at) {
  return notification.arguments[static_cast<std::size_t>(at)];
}

bool is_waiting(ReceiveDecision decision) {
  return decision == ReceiveDecision::wait_for_data || decision == ReceiveDecision::wait_for_turn;
}

}  // namespace

Receives::Receives(Shared& shared, const ReceiveRecords::Parts& parts, ReceiveRecords& records)
    : shared_(shared), parts_(parts), records_(records) {
  parts_.held.looked_at_by([this](TrackedThread& thread) { look_again(thread); });
}

Asking Receives::asking_of(const Notification& notification, const MeteredCall& shape, TrackedThread& thread,
                           const ResolvedChannel& channel) {
  Asking asking;
  asking.notification = notification;
  asking.identity = channel.identity;
  asking.call = parts_.inspector.describe_call(notification, shape, thread);
  asking.call.may_wait = asking.terms.may_wait = !shared_.files.is_non_blocking(channel.fd.get());
  return asking;
}

CallOutcome Receives::receive(const Notification& notification, const MeteredCall& shape, TrackedThread& thread) {
  const std::uint64_t flags = flags_of(notification, shape);
  if ((flags & MSG_PEEK) != 0) note_peek(notification, shape, thread);
  if ((flags & kNotAReceive) != 0) return CallOutcome::let_go;
  auto channel = parts_.inspector.resolve_channel(notification, shape, thread);
  if (!channel) return CallOutcome::let_go;
  Socket* const socket = channel->socket;
  const bool datagrams = socket != nullptr && keeps_boundaries(socket->description.medium);
  const bool may_be_read = shape.flags < 0;  // read() and readv(): without room they return at once
  const std::uint64_t asked = !datagrams || may_be_read ? asked_bytes(notification, shape) : 0;
  const bool is_eventfd = channel->identity.kind == DescriptorIdentity::Kind::eventfd;
  if (may_be_read && asked < (is_eventfd ? Sends::kUnitCallBytes : 1)) return CallOutcome::let_go;
  Asking asking = asking_of(notification, shape, thread, *channel);
  asking.asked = asked;
  if ((flags & MSG_DONTWAIT) != 0) asking.call.may_wait = asking.terms.may_wait = false;
  asking.terms.takes_all = !datagrams && (flags & MSG_WAITALL) != 0 && asking.call.may_wait;
  asking.call.takes_all = asking.terms.takes_all;
  if (socket != nullptr) shared_.meter.paths().uses(asking.call, *socket);
  if (socket != nullptr && !datagrams && socket->in == nullptr) return CallOutcome::let_go;
  return begin(thread, asking, *channel);
}

void Receives::note_peek(const Notification& notification, const MeteredCall& shape, TrackedThread& thread) {
  const auto channel = parts_.inspector.resolve_channel(notification, shape, thread);
  if (channel && channel->socket != nullptr) channel->socket->program_peeks = true;
}

CallOutcome Receives::accept(const Notification& notification, const MeteredCall& shape, TrackedThread& thread) {
  const auto channel = parts_.inspector.resolve_listener(notification, thread);
  if (!channel) return CallOutcome::let_go;
  Asking asking = asking_of(notification, shape, thread, *channel);
  shared_.meter.paths().uses(asking.call, *channel->socket);
  return begin(thread, asking, *channel);
}

CallOutcome Receives::transfer(const Notification& notification, const MeteredCall& shape, TrackedThread& thread) {
  constexpr std::size_t kFlags = 5;
  const auto descriptor = static_cast<std::int32_t>(argument(notification, shape.source));
  ResolvedChannel channel;
  channel.fd = parts_.inspector.borrow(thread, descriptor);
  if (!channel.fd) return CallOutcome::let_go;
  channel.identity = shared_.files.identify(channel.fd.get());
  if (parts_.inspector.stream_from(channel.fd.get(), channel.identity) == nullptr) {
    parts_.sends.send(notification, shape, thread, bytes_left(notification, shape, channel.fd.get()));
    return CallOutcome::let_go;
  }
  const UniqueFd destination = parts_.inspector.borrow(thread, descriptor_of(notification, shape));
  if (!destination || !shared_.files.can_move(channel.fd.get(), destination.get())) return CallOutcome::let_go;
  channel.socket = shared_.meter.conversations().find(channel.identity.id);
  Asking asking = asking_of(notification, shape, thread, channel);
  asking.asked = asked_bytes(notification, shape);
  asking.call.descriptor = descriptor;
  asking.call.counted_in_io = false;
  const bool splices = shape.source_at == 1;
  if (splices && (notification.arguments[kFlags] & SPLICE_F_NONBLOCK) != 0)
    asking.call.may_wait = asking.terms.may_wait = false;
  return begin(thread, asking, channel);
}

// From the offset that the call gives, or else the file's own.
std::uint64_t Receives::bytes_left(const Notification& notification, const MeteredCall& shape, int file) {
  const std::uint64_t address = argument(notification, shape.source_at);
  if (address == 0) return shared_.files.bytes_left_in_file(file, std::nullopt);
  std::int64_t given = 0;
  const auto into = std::as_writable_bytes(std::span(&given, 1));
  const bool known = shared_.kernel.read_memory(notification.tid, address, into) == into.size();
  return known ? shared_.files.bytes_left_in_file(file, given) : UINT64_MAX;
}

// The first look at a call.
CallOutcome Receives::begin(TrackedThread& thread, Asking& asking, const ResolvedChannel& channel) {
  const MeteredCall& shape = *find_metered_call(asking.notification.call);
  const int fd = channel.fd.get();
  if (asking.call.counted_in_io && !thread.counters_read && !parts_.looks.is_exact(asking))
    parts_.progress.read_counters(thread);
  auto sight = parts_.looks.look(asking, fd);
  if (!sight) return CallOutcome::let_go;
  if (shape.family != CallFamily::accept) note_first_look(thread, asking, *sight);
  const ReceiveDecision decision = judge(asking, *sight, fd, false);
  if (is_waiting(decision) && may_be_held(asking.notification, shape)) return hold(thread, asking, decision, fd);
  if (is_waiting(decision) || decision == ReceiveDecision::let_go) {
    records_.goes_on_unseen(asking, fd);
    return CallOutcome::let_go;
  }
  if (decision == ReceiveDecision::answer_again) {
    shared_.answers.fail(asking.notification.id, EAGAIN);
    return CallOutcome::answered;
  }
  asking.call.data_is_there = sight->readable;
  records_.record(thread, asking, *sight, fd);
  return CallOutcome::let_go;
}

CallOutcome Receives::hold(TrackedThread& thread, const Asking& asking, ReceiveDecision decision, int fd) {
  if (!parts_.held.hold(thread, asking, fd)) return CallOutcome::let_go;
  // The watch tells that data is there, not that it is the call's turn.
  if (decision == ReceiveDecision::wait_for_turn) parts_.held.look_again_now(thread);
  return CallOutcome::held;
}

void Receives::note_first_look(TrackedThread& thread, const Asking& asking, const QueueSight& sight) {
  Flow* flow = sight.units ? &records_.eventfd_of(thread, *sight.units) : parts_.looks.flow_of(asking);
  if (sight.offset) shared_.meter.resolve_at(asking.call, *flow, false, *sight.offset);
  const bool again =
      thread.asks_again || (flow != nullptr && parts_.restarts.asks_again(thread, asking.notification, *flow));
  if (!again) shared_.meter.asks_to_receive(asking.call, flow);
}

// A later look at a held call.
void Receives::look_again(TrackedThread& thread) {
  UniqueFd fd;
  QueueSight sight;
  // If its descriptor was closed or replaced meanwhile, the kernel must decide what that means.
  ReceiveDecision decision = ReceiveDecision::let_go;
  if (parts_.held.is_same_file(thread, fd)) {
    if (auto seen = parts_.looks.look(*thread.hold, fd.get())) {
      sight = *std::move(seen);
      decision = judge(*thread.hold, sight, fd.get(), true);
    }
  }
  if (decision == ReceiveDecision::wait_for_data) return parts_.held.watch_again(thread, fd.get());
  if (decision == ReceiveDecision::wait_for_turn) return parts_.held.look_again_soon(thread);
  if (parts_.held.was_taken_away(thread)) return;
  if (decision == ReceiveDecision::record) {
    Asking asking = *thread.hold;
    asking.call.data_is_there = true;
    records_.record(thread, asking, sight, fd.get());
  }
  fd.reset();
  if (decision == ReceiveDecision::answer_again) return parts_.held.fail(thread, EAGAIN);
  parts_.held.go_on(thread);
}

ReceiveDecision Receives::judge(Asking& asking, QueueSight& sight, int fd, bool is_held) {
  const MeteredCall& shape = *find_metered_call(asking.notification.call);
  // A call whose share is known afterwards need not wait for others, unless it is held behind them.
  const bool may_be_anothers =
      (is_held || !parts_.looks.tells_its_share(asking)) && parts_.turns.may_be_anothers_share(asking, sight, fd);
  if (sight.units) {
    asking.terms.may_be_answered = true;
  } else if (!sight.readable && !asking.terms.may_wait && shape.family != CallFamily::transfer) {
    const bool is_socket = asking.identity.kind == DescriptorIdentity::Kind::socket;
    asking.terms.may_be_answered = (is_held || is_socket) && can_only_be_eagain(asking.notification, shape);
  }
  return decide(asking.terms, sight, may_be_anothers);
}

}  // namespace dpm
