#include "backends/linux/supervisor/receive_calls.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "backends/linux/supervisor/call_arguments.hpp"

namespace dpm {
namespace {

bool is_waiting(ReceiveDecision decision) {
  return decision == ReceiveDecision::wait_for_data || decision == ReceiveDecision::wait_for_turn;
}

// The call takes all that waits, and goes on waiting for more. Nothing that was seen ends it earlier.
bool waits_for_rest(const ReceiveRequest& request, const QueueState& queue) {
  return queue.bytes == queue.front.bytes && queue.bytes < request.asked && !queue.ended;
}

}  // namespace

ReceiveDecision decide(const ReceiveTerms& terms, const QueueState& queue, bool may_be_anothers) {
  if (!queue.readable) {
    if (terms.may_wait) return ReceiveDecision::wait_for_data;
    if (terms.may_be_answered) return ReceiveDecision::answer_again;
  } else if (may_be_anothers) {
    return ReceiveDecision::wait_for_turn;
  }
  return queue.takes_nothing ? ReceiveDecision::let_go : ReceiveDecision::record;
}

ReceiveCalls::ReceiveCalls(Shared& shared, CallInspector& inspector, HeldCalls& held, RestartedCalls& restarts,
                           Sends& sends)
    : shared_(shared),
      inspector_(inspector),
      held_(held),
      restarts_(restarts),
      sends_(sends),
      accepts_(shared, inspector),
      turns_(shared, held),
      several_(shared.meter) {
  held_.inspect_with([this](TrackedThread& thread) { inspect_again(thread); });
}

ReceiveRequest ReceiveCalls::request_of(const Notification& notification, const MeteredCall& shape,
                                        TrackedThread& thread, const ResolvedChannel& channel) {
  ReceiveRequest request;
  request.notification = notification;
  request.shape = &shape;
  request.identity = channel.identity;
  request.call = inspector_.describe_call(notification, shape, thread);
  request.call.may_wait = request.terms.may_wait = !shared_.files.is_non_blocking(channel.fd.get());
  return request;
}

CallOutcome ReceiveCalls::receive(const Notification& notification, const MeteredCall& shape, TrackedThread& thread) {
  const std::uint64_t flags = flags_of(notification, shape);
  if ((flags & MSG_PEEK) != 0) {
    note_peek(notification, shape, thread);
    return CallOutcome::let_go;
  }
  auto channel = inspector_.resolve_channel(notification, shape, thread);
  if (!channel) return CallOutcome::let_go;
  Socket* const socket = channel->socket;
  const bool is_udp = socket != nullptr && socket->description.medium == Medium::udp;  // which knows no urgent bytes
  if ((flags & MSG_OOB) != 0 && !is_udp) {
    if (socket != nullptr) take_urgent(notification, shape, thread, *socket, channel->fd.get());
    return CallOutcome::let_go;
  }
  // A UNIX socket has no queue of errors, and gives a message.
  if ((flags & MSG_ERRQUEUE) != 0 && socket != nullptr && socket->description.domain != AF_UNIX)
    return CallOutcome::let_go;
  const bool datagrams = socket != nullptr && keeps_boundaries(socket->description.medium);
  const bool may_be_read = shape.flags < 0;  // read() and readv(): without room they return at once
  const std::uint64_t asked = !datagrams || may_be_read ? asked_bytes(notification, shape) : 0;
  const bool is_eventfd = channel->identity.kind == DescriptorIdentity::Kind::eventfd;
  if (may_be_read && asked < (is_eventfd ? Sends::kUnitCallBytes : 1)) return CallOutcome::let_go;
  ReceiveRequest request = request_of(notification, shape, thread, *channel);
  request.asked = asked;
  if (is_eventfd) request.call.counted_in_io = false;  // the counters tell that it moved 8 bytes
  if ((flags & MSG_DONTWAIT) != 0) request.call.may_wait = request.terms.may_wait = false;
  request.terms.takes_all = !datagrams && (flags & MSG_WAITALL) != 0 && request.call.may_wait;
  request.call.takes_all = request.terms.takes_all;
  if (socket != nullptr) shared_.meter.paths().uses(request.call, *socket);
  if (socket != nullptr && !datagrams && socket->in == nullptr) return CallOutcome::let_go;
  return begin(thread, request, *channel);
}

// Whether there is an urgent byte is seen before the call. It has a place in the stream, which other receives pass.
void ReceiveCalls::take_urgent(const Notification& notification, const MeteredCall& shape, TrackedThread& thread,
                               Socket& socket, int fd) {
  if (socket.description.medium == Medium::unix_stream)
    inspector_.bypasses().passes(Bypass::urgent, thread.metered->pid());
  if (socket.description.medium != Medium::tcp || socket.in == nullptr) return;
  const auto offset = shared_.files.tcp_urgent_offset(fd);
  if (!offset || asked_bytes(notification, shape) == 0) return;
  socket.in->may_be_urgent = true;
  shared_.meter.takes_urgent(inspector_.describe_call(notification, shape, thread), *socket.in, *offset);
}

void ReceiveCalls::note_peek(const Notification& notification, const MeteredCall& shape, TrackedThread& thread) {
  const auto channel = inspector_.resolve_channel(notification, shape, thread);
  if (channel && channel->socket != nullptr) channel->socket->program_peeks = true;
}

CallOutcome ReceiveCalls::accept(const Notification& notification, const MeteredCall& shape, TrackedThread& thread) {
  const auto channel = inspector_.resolve_listener(notification, thread);
  if (!channel) return CallOutcome::let_go;
  ReceiveRequest request = request_of(notification, shape, thread, *channel);
  shared_.meter.paths().uses(request.call, *channel->socket);
  return begin(thread, request, *channel);
}

CallOutcome ReceiveCalls::transfer(const Notification& notification, const MeteredCall& shape, TrackedThread& thread) {
  const auto descriptor = static_cast<std::int32_t>(notification.arguments[static_cast<std::size_t>(shape.source)]);
  ResolvedChannel channel;
  channel.fd = inspector_.borrow(thread, descriptor);
  if (!channel.fd) return CallOutcome::let_go;
  channel.identity = shared_.files.identify(channel.fd.get());
  const bool from_file = channel.identity.kind == DescriptorIdentity::Kind::other;
  const bool is_sendfile = notification.call == SYS_sendfile;  // takes nothing out of pipes and sockets
  if (is_sendfile != from_file && (is_sendfile || shape.family == CallFamily::copy)) return CallOutcome::let_go;
  const UniqueFd destination = inspector_.borrow(thread, descriptor_of(notification, shape));
  const bool can_move = destination && shared_.files.can_move(channel.fd.get(), destination.get());
  if (inspector_.stream_from(channel.fd.get(), channel.identity) == nullptr &&
      !inspector_.gives_datagrams(channel.fd.get(), channel.identity)) {
    if (from_file && (is_sendfile || can_move)) sends_.send_from_file(notification, shape, thread, channel.fd.get());
    return CallOutcome::let_go;
  }
  if (!can_move) return CallOutcome::let_go;
  const auto to = shared_.files.identify(destination.get()).kind;
  if (to == DescriptorIdentity::Kind::eventfd) return CallOutcome::let_go;
  if (shape.family == CallFamily::copy && to != DescriptorIdentity::Kind::pipe) return CallOutcome::let_go;
  channel.socket = shared_.meter.conversations().find(channel.identity.id);
  ReceiveRequest request = request_of(notification, shape, thread, channel);
  request.asked = asked_bytes(notification, shape);
  request.call.descriptor = descriptor;
  request.call.counted_in_io = false;
  if ((flags_of(notification, shape) & MSG_DONTWAIT) != 0) request.call.may_wait = request.terms.may_wait = false;
  return begin(thread, request, channel);
}

// A call that was made now.
CallOutcome ReceiveCalls::begin(TrackedThread& thread, ReceiveRequest& request, const ResolvedChannel& channel) {
  const MeteredCall& shape = *request.shape;
  const int fd = channel.fd.get();
  if (request.call.counted_in_io && !thread.counters_read && !is_exact(request)) inspector_.read_counters(thread);
  auto queue = inspect(request, fd);
  if (!queue) return CallOutcome::let_go;
  if (shape.family != CallFamily::accept && shape.family != CallFamily::copy) note_request(thread, request, *queue);
  const ReceiveDecision decision = judge(request, *queue, fd, false);
  if (is_waiting(decision) && may_be_held(request.notification, shape)) return hold(thread, request, decision, fd);
  if (is_waiting(decision) || decision == ReceiveDecision::let_go) {
    goes_on_unseen(request, fd);
    return CallOutcome::let_go;
  }
  if (decision == ReceiveDecision::answer_again) {
    shared_.answers.fail(request.notification.id, EAGAIN);
    return CallOutcome::answered;
  }
  request.call.data_is_there = queue->readable;
  record(thread, request, *queue, fd);
  return CallOutcome::let_go;
}

CallOutcome ReceiveCalls::hold(TrackedThread& thread, const ReceiveRequest& request, ReceiveDecision decision, int fd) {
  const bool may_wait = decision == ReceiveDecision::wait_for_data && request.shape->family == CallFamily::receive &&
                        request.shape->length != LengthForm::messages && shows_its_share(request);
  if (!held_.hold(thread, request, fd, may_wait)) return CallOutcome::let_go;
  // The watch tells that data is there, not that it is the call's turn.
  if (decision == ReceiveDecision::wait_for_turn) held_.inspect_now(thread);
  return CallOutcome::held;
}

void ReceiveCalls::note_request(TrackedThread& thread, const ReceiveRequest& request, const QueueState& queue) {
  Flow* flow = queue.units ? &eventfd_of(*thread.metered, *queue.units) : flow_of(request);
  if (queue.offset) shared_.meter.resolve_at(request.call, *flow, false, *queue.offset);
  const bool again =
      thread.asks_again || (flow != nullptr && restarts_.asks_again(thread, request.notification, *flow));
  if (!again) shared_.meter.asks_to_receive(request.call, flow);
}

// A held call, for which data may have come.
void ReceiveCalls::inspect_again(TrackedThread& thread) {
  if (thread.hold->waits_in_kernel) return inspect_waiting(thread);
  UniqueFd fd;
  QueueState queue;
  // If its descriptor was closed or replaced meanwhile, the kernel must decide what that means.
  ReceiveDecision decision = ReceiveDecision::let_go;
  if (held_.is_same_file(thread, fd)) {
    if (auto seen = inspect(*thread.hold, fd.get())) {
      queue = *std::move(seen);
      decision = judge(*thread.hold, queue, fd.get(), true);
    }
  }
  if (decision == ReceiveDecision::wait_for_data) return held_.watch_again(thread, fd.get());
  if (decision == ReceiveDecision::wait_for_turn) return held_.inspect_soon(thread);
  if (held_.was_taken_away(thread)) return;
  if (decision == ReceiveDecision::record) {
    ReceiveRequest request = *thread.hold;
    request.call.data_is_there = true;
    record(thread, request, queue, fd.get());
  }
  fd.reset();
  if (decision == ReceiveDecision::answer_again) return held_.fail(thread, EAGAIN);
  held_.go_on(thread);
}

// A call that waits in the kernel, for which data may have come: it may have taken them. What it is about to take is
// recorded as if it were held. If the descriptor is another file's by now, its thread's next call may show what it took.
void ReceiveCalls::inspect_waiting(TrackedThread& thread) {
  constexpr std::int64_t kShowsAfterNs = 5'000'000;
  const LocalTime now = shared_.clock.now();
  auto& may_have_come = thread.hold->may_have_come;
  if (!may_have_come) may_have_come = now;
  UniqueFd fd;
  const bool is_same = held_.is_same_file(thread, fd);
  if (record_taken(thread, is_same ? &fd : nullptr) || !is_same) return;
  ReceiveDecision decision = ReceiveDecision::let_go;
  auto queue = inspect(*thread.hold, fd.get());
  if (queue) decision = judge(*thread.hold, *queue, fd.get(), true);
  const bool may_show_later = (now - *may_have_come).ns < kShowsAfterNs;
  if (decision == ReceiveDecision::wait_for_data && !may_show_later) {
    may_have_come.reset();
    return held_.watch_again(thread, fd.get());
  }
  if (is_waiting(decision)) return held_.inspect_soon(thread);
  ReceiveRequest request = held_.end(thread);
  request.call.data_is_there = true;
  if (decision == ReceiveDecision::record) record(thread, request, *queue, fd.get());
}

// Records what a call has taken that waited in the kernel, with the CPU time that its thread had when it began to wait.
// False if nothing shows that it has taken anything. `fd`: its file, if it is known.
bool ReceiveCalls::record_taken(TrackedThread& thread, const UniqueFd* fd) {
  const Hold& hold = *thread.hold;
  Flow* const flow = flow_of(hold);
  if (flow == nullptr || (flow->exact && fd == nullptr)) return false;
  Amount amount{.asked = hold.asked};
  std::uint64_t stands_at = flow->received.expected();
  if (flow->exact) {
    const auto state = shared_.files.tcp_receive_state(fd->get(), stands_at, flow->may_be_urgent);
    if (!state || state->offset <= stands_at) return false;
    amount.offset = std::exchange(stands_at, state->offset);
    amount.probable = stands_at - *amount.offset;
  } else {
    amount.probable = inspector_.bytes_read(thread);
    if (amount.probable == 0) return false;
  }
  Call call = inspector_.at_present(hold.call);
  call.data_is_there = hold.may_have_come || flow->exact;
  if (hold.may_have_come) {
    call.time = *hold.may_have_come;
  } else if (flow->exact) {
    call.time = {call.time.ns - static_cast<std::int64_t>(shared_.files.tcp_quiet_ns(fd->get()))};
  }
  held_.end(thread);
  thread.let_go.reset();
  thread.asked.reset();
  shared_.meter.receives(call, *flow, amount);
  if (flow->exact) {
    shared_.meter.resolve_at(call, *flow, false, stands_at);
  } else {
    inspector_.read_counters(thread);
  }
  return true;
}

ReceiveDecision ReceiveCalls::judge(ReceiveRequest& request, QueueState& queue, int fd, bool is_held) {
  const MeteredCall& shape = *request.shape;
  // A call whose share is known afterwards need not wait for others, unless it is held behind them.
  const bool waits_its_turn =
      queue.is_being_sent || ((is_held || !shows_its_share(request)) && may_be_anothers(request, queue, fd));
  if (queue.units) {
    request.terms.may_be_answered = true;
  } else if (!queue.readable && !request.terms.may_wait && shape.family != CallFamily::transfer) {
    const bool is_socket = request.identity.kind == DescriptorIdentity::Kind::socket;
    request.terms.may_be_answered = (is_held || is_socket) && can_only_be_eagain(request.notification, shape);
  }
  return decide(request.terms, queue, waits_its_turn);
}

// Whether other threads may be about to take what was seen. If they turn out to have taken their share, the queue is
// inspected again.
bool ReceiveCalls::may_be_anothers(const ReceiveRequest& request, QueueState& queue, int fd) {
  if (!queue.readable) return false;
  const TurnTaking::Others others = turns_.others(request, queue.front);
  if (others.some_have_left) {
    if (const auto again = inspect(request, fd)) queue = *again;
  }
  return queue.readable && others.taking >= shares(request, queue, fd);
}

// How many calls can be satisfied by what was seen.
std::uint64_t ReceiveCalls::shares(const ReceiveRequest& request, const QueueState& queue, int fd) {
  if (queue.units) return queue.units->is_semaphore ? queue.units->count : 1;
  const bool accepts = request.shape->family == CallFamily::accept;
  return accepts ? shared_.files.connections_waiting(fd) : 1;
}

// ---- the queue

// Where the call would receive from; nullptr for a listener, for datagrams that come from different senders, and for
// an eventfd.
Flow* ReceiveCalls::flow_of(const ReceiveRequest& request) {
  Conversations& conversations = shared_.meter.conversations();
  if (request.identity.kind == DescriptorIdentity::Kind::pipe)
    return &conversations.pipe(request.identity.device, request.identity.id);
  if (request.identity.kind != DescriptorIdentity::Kind::socket) return nullptr;
  const Socket* socket = conversations.find(request.identity.id);
  return socket == nullptr ? nullptr : socket->in;
}

bool ReceiveCalls::is_exact(const ReceiveRequest& request) {
  const Flow* flow = flow_of(request);
  return flow != nullptr && flow->exact;
}

// Whether the stream's own offset, or the thread's counters, will show afterwards how much the call took.
bool ReceiveCalls::shows_its_share(const ReceiveRequest& request) {
  const Flow* flow = flow_of(request);
  return flow != nullptr && flow->kind == ChannelKind::stream && (flow->exact || request.call.counted_in_io);
}

// Nothing if the kernel does not tell where the stream stands.
std::optional<QueueState> ReceiveCalls::inspect(const ReceiveRequest& request, int fd) {
  if (request.identity.kind == DescriptorIdentity::Kind::eventfd) return inspect_eventfd(request, fd);
  Socket* const socket = request.identity.kind == DescriptorIdentity::Kind::socket
                             ? shared_.meter.conversations().find(request.identity.id)
                             : nullptr;
  if (socket != nullptr && socket->description.listening) {
    QueueState queue;
    queue.readable = shared_.files.is_readable(fd);
    queue.front.stream = true;
    return queue;
  }
  if (socket != nullptr && socket->description.medium == Medium::udp) inspect_memory(request, *socket, fd);
  if (socket != nullptr && keeps_boundaries(socket->description.medium)) return inspect_datagrams(fd);
  return inspect_stream(request, socket, fd);
}

void ReceiveCalls::inspect_memory(const ReceiveRequest& request, Socket& socket, int fd) {
  // Bound by a send.
  if (socket.description.local_name.ends_with(":0")) socket.description = shared_.files.describe_socket(fd);
  if (const auto memory = shared_.files.datagram_memory(fd)) shared_.meter.looks_at(request.call, socket, *memory);
}

QueueState ReceiveCalls::inspect_datagrams(int fd) {
  QueueState queue;
  DatagramQueue datagrams = shared_.files.look_at_datagrams(fd);
  queue.readable = !datagrams.quiet;
  queue.takes_nothing = !datagrams.next;
  if (datagrams.next) queue.front = {datagrams.next->length_bytes, datagrams.next->beginning, false};
  queue.datagram = std::move(datagrams.next);
  return queue;
}

std::optional<QueueState> ReceiveCalls::inspect_eventfd(const ReceiveRequest& request, int fd) {
  QueueState queue;
  queue.units = shared_.files.read_event_counter(fd);
  if (!queue.units) return std::nullopt;
  inspector_.settle_units(request.call, eventfd_of(*request.call.thread, *queue.units), fd, *queue.units);
  queue.readable = queue.units->count > 0;
  queue.front = {queue.units->count, 0, true};
  return queue;
}

std::optional<QueueState> ReceiveCalls::inspect_stream(const ReceiveRequest& request, const Socket* socket, int fd) {
  QueueState queue;
  Flow& flow = *flow_of(request);
  queue.is_being_sent = !inspector_.settle_partial(flow, request.call.thread);
  if (queue.is_being_sent && (flow.partial->may_wait || !may_be_held(request.notification, *request.shape))) {
    shared_.meter.settle_partial(flow, std::nullopt);
    queue.is_being_sent = false;
  }
  bool ended = false;
  if (flow.exact) {
    const auto state = shared_.files.tcp_receive_state(fd, flow.received.expected(), flow.may_be_urgent);
    if (!state) return std::nullopt;
    if (state->at_urgent) {
      flow.may_be_urgent = true;
      shared_.meter.passes_urgent(request.call, flow, state->offset);
    }
    queue.offset = state->offset + (state->at_urgent ? 1 : 0);
    queue.bytes = state->waiting;
    ended = state->ended;
  } else {
    queue.bytes = shared_.files.bytes_waiting(fd);
  }
  const bool only_sends_tell = !flow.exact && socket != nullptr && !request.call.counted_in_io;
  if (only_sends_tell) {
    const auto received = inspector_.received_by_sends(flow, fd, queue.bytes);
    if (received) (received->certain ? queue.offset : queue.stands_beyond) = received->bytes;
  }
  queue.front = {queue.bytes, 0, true};
  queue.readable = queue.bytes > 0 || ended || shared_.files.is_readable(fd);
  queue.ended = ended || (request.terms.takes_all && shared_.files.comes_no_more(fd));
  queue.bytes = only_sends_tell ? shared_.files.bytes_of_one_receive(fd, request.asked, queue.bytes)
                                : std::min(request.asked, queue.bytes);
  return queue;
}

// Where the call would get units from.
Flow& ReceiveCalls::eventfd_of(const MeteredThread& thread, const EventCounter& counter) {
  return shared_.meter.conversations().eventfds().used_by(thread.pid(), counter.id, counter.count);
}

// ---- the record

// What was seen belongs to this call now.
void ReceiveCalls::record(TrackedThread& thread, const ReceiveRequest& request, const QueueState& queue, int fd) {
  const MeteredCall& shape = *request.shape;
  const Call call = inspector_.at_present(request.call);  // the data that was seen had come by now
  const bool others_wait = held_.others_wait_for(request.identity.number());
  if (queue.readable && (others_wait || !shows_its_share(request))) {
    QueueFront front = queue.front;
    front.with_others = shape.length == LengthForm::messages;
    turns_.give(thread, request, call, front);
  }
  if (queue.units) return record_units(thread, request, call, *queue.units);
  // The socket may have been forgotten while the call waited, and may be closed, so that it cannot be described again.
  const bool is_socket = request.identity.kind == DescriptorIdentity::Kind::socket;
  Socket* socket = is_socket ? inspector_.socket_behind(fd, request.identity.id) : nullptr;
  if (is_socket && socket == nullptr) return;
  if (is_socket && shape.family == CallFamily::accept)
    return accepts_.record(thread, call, request.notification, *socket);
  if (is_socket && queue.datagram) {
    record_datagram(thread, request, call, queue, *socket, fd);
    if (shape.family == CallFamily::transfer)
      sends_.send(request.notification, shape, thread, queue.datagram->length_bytes);
    return;
  }
  record_stream(thread, request, call, queue, fd);
}

void ReceiveCalls::record_units(TrackedThread& thread, const ReceiveRequest& request, const Call& call,
                                const EventCounter& counter) {
  Flow& flow = eventfd_of(*thread.metered, counter);
  shared_.meter.takes_units(call, flow, counter);
  thread.took_units = {call.descriptor, counter.id};
  restarts_.moves_units(thread, request.notification, request.identity, flow, counter.count);
}

// The taker's read is over. `by`: a thread that has the descriptor.
void ReceiveCalls::settle_units(TrackedThread& taker, TrackedThread& by) {
  const auto [descriptor, id] = *std::exchange(taker.took_units, std::nullopt);
  Flow* const flow = shared_.meter.conversations().eventfds().find(id);
  if (flow == nullptr || flow->received.find(taker.metered) == nullptr) return;
  const UniqueFd fd = inspector_.borrow(by, descriptor);
  auto counter = fd ? shared_.files.read_event_counter(fd.get()) : std::nullopt;
  if (!counter || counter->id != id) return;
  const LocalTime now = shared_.clock.now();
  const Call call{.thread = taker.metered, .time = now, .now_ns = shared_.clock.steady_ns(now)};
  inspector_.settle_units(call, *flow, fd.get(), *counter);
}

void ReceiveCalls::record_datagram(TrackedThread& thread, const ReceiveRequest& request, const Call& call,
                                   const QueueState& queue, Socket& socket, int fd) {
  Flow* flow = flow_of(request);
  // It may have got its name by a send since it was inspected.
  if (flow == nullptr && socket.description.local_name.ends_with(":0"))
    socket.description = shared_.files.describe_socket(fd);
  if (request.shape->length == LengthForm::messages) return takes_several(request, call, queue.datagram, fd);
  if (flow == nullptr) flow = &shared_.meter.conversations().datagrams_from(queue.datagram->sender_name, socket);
  const WaitingDatagram& datagram = *queue.datagram;
  shared_.meter.receives_datagrams(call, *flow, mark_of(datagram, datagram.length_bytes), datagram.part_bytes);
  if (socket.description.medium != Medium::udp && !socket.program_peeks)
    restarts_.receives(thread, request.notification, fd, request.identity, *flow, *queue.datagram);
}

void ReceiveCalls::record_stream(TrackedThread& thread, const ReceiveRequest& request, const Call& call,
                                 const QueueState& queue, int fd) {
  const MeteredCall& shape = *request.shape;
  Flow& flow = *flow_of(request);
  if (flow.passed_by) shared_.meter.align(call, flow, shared_.files.bytes_waiting(fd));
  if (shape.family == CallFamily::copy) {
    sends_.send(request.notification, shape, thread, queue.front.bytes);
    return;
  }
  const bool guesses = call.takes_all && waits_for_rest(request, queue);
  Amount amount{request.asked, guesses ? request.asked : queue.bytes, queue.offset};
  amount.stands_beyond = queue.stands_beyond;
  Call recorded = call;
  recorded.takes_all = guesses;
  recorded.data_is_there = call.data_is_there && !guesses;
  Flow* const to = shape.family == CallFamily::transfer
                       ? inspector_.stream_to(thread, descriptor_of(request.notification, shape))
                       : nullptr;
  amount.shows_in_pipe = flow.is_pipe && !call.counted_in_io && (to == nullptr || !to->exact);
  if (to != nullptr) {
    amount.tells_other_end = !to->exact && (flow.exact || flow.is_pipe);
    amount.told_by_other_end = !flow.exact && (to->exact || to->is_pipe);
  }
  shared_.meter.receives(recorded, flow, amount);
  if (queue.bytes > 0)
    restarts_.receives_bytes(thread, request.notification, request.identity, flow, queue.front.bytes,
                             call.counted_in_io || call.takes_all);
  if (shape.family == CallFamily::transfer) sends_.send(request.notification, shape, thread, amount.probable, &flow);
  if (amount.told_by_other_end) shared_.meter.transferred(recorded, {&flow, false}, *to);
}

// The call goes on although nothing was seen for it. recvmmsg() may still take datagrams.
void ReceiveCalls::goes_on_unseen(const ReceiveRequest& request, int fd) {
  if (request.shape->length != LengthForm::messages) return;
  const Socket* socket = shared_.meter.conversations().find(request.identity.id);
  if (socket != nullptr && keeps_boundaries(socket->description.medium))
    takes_several(request, request.call, std::nullopt, fd);
}

// A recvmmsg() on datagrams goes on. `first`: the first datagram that waits.
void ReceiveCalls::takes_several(const ReceiveRequest& request, const Call& call,
                                 const std::optional<WaitingDatagram>& first, int fd) {
  const auto& arguments = request.notification.arguments;
  SeveralDatagrams::Asked asked;
  asked.call = call;
  asked.address = arguments[1];
  asked.count = std::min<std::uint64_t>(static_cast<std::uint32_t>(arguments[2]), MessageArray::kEntriesMax);
  asked.socket = request.identity.id;
  const bool stops_early = (arguments[3] & MSG_WAITFORONE) != 0 || arguments[4] != 0;
  asked.takes_all = call.may_wait && !stops_early && shared_.files.receive_timeout_ns(fd) == 0;
  const Socket* socket = shared_.meter.conversations().find(asked.socket);
  const bool is_udp = socket != nullptr && socket->description.medium == Medium::udp;
  asked.may_be_merged = is_udp && shared_.files.merges_datagrams(fd);
  std::vector<WaitingDatagram> seen;
  if (first && asked.count > 0) seen.push_back(*first);
  if (!seen.empty() && socket != nullptr && !socket->program_peeks)
    for (auto& next : shared_.files.datagrams_behind(fd, *first, asked.count - 1)) seen.push_back(std::move(next));
  several_.goes_on(asked, seen);
}

// ---- after the call

void ReceiveCalls::is_over(TrackedThread& thread, std::int32_t descriptor) {
  if (thread.hold) hold_is_over(thread);
  if (thread.took_units && thread.took_units->descriptor != descriptor) settle_units(thread, thread);
  accepts_.is_over(thread);
  several_are_over(thread.metered->tid());
  turns_.end(thread);
}

// A signal has taken a held call away. One that waited in the kernel may also have returned, and not been looked at since.
void ReceiveCalls::hold_is_over(TrackedThread& thread) {
  if (thread.hold->waits_in_kernel) {
    UniqueFd fd;
    const bool is_same = held_.is_same_file(thread, fd);
    if (record_taken(thread, is_same ? &fd : nullptr)) return;
    const bool has_returned = !is_same || thread.hold->deadline_ns != 0 || shared_.files.is_readable(fd.get());
    if (has_returned) return static_cast<void>(held_.end(thread));
  }
  held_.interrupt(thread);
}

void ReceiveCalls::thread_ends(TrackedThread& thread, bool has_own_counters) {
  if (thread.took_units)
    if (TrackedThread* const another = another_of(thread)) settle_units(thread, *another);
  if (thread.hold && thread.hold->waits_in_kernel && has_own_counters) {
    UniqueFd fd;
    const bool is_same = held_.is_same_file(thread, fd);
    record_taken(thread, is_same ? &fd : nullptr);
  }
  if (thread.hold) held_.end(thread);
  end_turn(thread);
}

// Of the same process, and so with the same descriptors.
TrackedThread* ReceiveCalls::another_of(const TrackedThread& thread) {
  const auto& threads = thread.process->kinship.threads;
  const auto another = std::ranges::find_if(threads, [&thread](const TrackedThread* each) { return each != &thread; });
  return another == threads.end() ? nullptr : *another;
}

void ReceiveCalls::several_are_over(std::uint32_t tid) {
  const LocalTime now = shared_.clock.now();
  several_.is_over(tid, now, shared_.clock.steady_ns(now));
}

void ReceiveCalls::settle_old(std::int64_t now_ns) {
  accepts_.settle_old(now_ns);
  settle_several(now_ns);
}

void ReceiveCalls::settle_several(std::int64_t now_ns) {
  constexpr std::int64_t kOldNs = 100'000'000;
  for (const auto& [tid, descriptor] : several_.waiting(now_ns - kOldNs)) {
    TrackedThread* thread = shared_.table.thread(tid);
    if (thread != nullptr && !inspector_.may_be_in_call(*thread, descriptor)) several_are_over(tid);
  }
}

}  // namespace dpm
