// Calls that ask for data or a connection: each is looked at when it is made and, if it waits with us, again when
// something came. Both take the same way: look(), decide(), record_taken().
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "backends/linux/capture/kernel/socket_queue.hpp"
#include "backends/linux/capture/supervisor/supervisor.hpp"

namespace dpm {
namespace {

// Calls that take nothing from the stream, or something out of its order.
constexpr std::uint64_t kNotAReceive = MSG_PEEK | MSG_OOB | MSG_ERRQUEUE;

std::uint64_t flags_of(const Notification& notification, const MeteredCall& shape) {
  return shape.flags < 0 ? 0 : notification.arguments[static_cast<std::size_t>(shape.flags)];
}

QueueSight datagram_sight(int fd) {
  QueueSight sight;
  DatagramQueue queue = look_at_datagrams(fd);
  sight.readable = !queue.quiet;
  sight.takes_nothing = !queue.next;
  if (queue.next) sight.front = {queue.next->length_bytes, queue.next->beginning, false};
  sight.datagram = std::move(queue.next);
  return sight;
}

bool takes_messages(const MeteredCall& shape, const Socket* socket) {
  return shape.length == LengthForm::messages && socket != nullptr && keeps_boundaries(socket->description.medium);
}

}  // namespace

Supervisor::Outcome Supervisor::receive(const Notification& notification, const MeteredCall& shape,
                                        TrackedThread& thread) {
  const std::uint64_t flags = flags_of(notification, shape);
  if ((flags & MSG_PEEK) != 0) note_peek(notification, shape, thread);
  if ((flags & kNotAReceive) != 0) return Outcome::let_go;
  auto way = way_behind(notification, shape, thread);
  if (!way) return Outcome::let_go;
  if (way->identity.kind == DescriptorIdentity::Kind::eventfd) return receive_units(notification, shape, thread, *way);
  Socket* const socket = way->socket;
  const bool datagrams = socket != nullptr && keeps_boundaries(socket->description.medium);
  Asking asking;
  const bool may_be_read = shape.flags < 0;  // read() and readv(): without room they return at once
  if (!datagrams || may_be_read) asking.asked = asked_bytes(notification, shape);
  if (may_be_read && asking.asked == 0) return Outcome::let_go;
  asking.notification = notification;
  asking.identity = way->identity;
  asking.call = circumstances(notification, shape, thread);
  asking.call.may_wait = (flags & MSG_DONTWAIT) == 0 && !is_non_blocking(way->fd.get());
  asking.terms.may_wait = asking.call.may_wait;
  asking.terms.takes_all = !datagrams && (flags & MSG_WAITALL) != 0 && asking.call.may_wait;
  asking.call.takes_all = asking.terms.takes_all;
  if (socket != nullptr) meter_.uses(asking.call, *socket);
  if (socket != nullptr && !datagrams && socket->in == nullptr) return Outcome::let_go;
  return take_first(thread, asking, *way);
}

void Supervisor::note_peek(const Notification& notification, const MeteredCall& shape, TrackedThread& thread) {
  if (const auto way = way_behind(notification, shape, thread); way && way->socket != nullptr)
    way->socket->program_peeks = true;
}

// The first look at a call.
Supervisor::Outcome Supervisor::take_first(TrackedThread& thread, Asking& asking, const Way& way) {
  const MeteredCall& shape = *find_metered_call(asking.notification.call);
  const int fd = way.fd.get();
  if (asking.call.counted_in_io && !thread.counters_read && !is_exact(asking)) read_counters(thread);
  auto sight = look(asking, fd);
  if (!sight) return Outcome::let_go;
  if (Flow* flow = flow_of(asking); shape.family != CallFamily::accept) {
    if (sight->offset) meter_.settle_at(asking.call, *flow, false, *sight->offset);
    if (!thread.asks_again) meter_.asks_to_receive(asking.call, flow);
  }
  const bool may_be_anothers = !tells_its_share(asking) && may_be_anothers_share(asking, *sight, fd);
  if (!sight->readable && !asking.terms.may_wait && way.socket != nullptr && shape.family != CallFamily::transfer)
    asking.terms.may_be_answered = can_only_be_eagain(asking.notification, shape);
  const ReceiveDecision decision = decide(asking.terms, *sight, may_be_anothers);
  const bool waits = decision == ReceiveDecision::wait_for_data || decision == ReceiveDecision::wait_for_turn;
  const bool is_held = waits && may_be_held(asking.notification, shape);
  const bool goes_on_unseen = waits ? !is_held : decision == ReceiveDecision::let_go;
  if (goes_on_unseen && takes_messages(shape, way.socket)) takes_several(asking, asking.call, std::nullopt, fd);
  if (waits && !is_held) return Outcome::let_go;
  switch (decision) {
    case ReceiveDecision::record:
      asking.call.data_is_there = sight->readable;
      record_taken(thread, asking, *sight, fd);
      return Outcome::let_go;
    case ReceiveDecision::let_go:
      return Outcome::let_go;
    case ReceiveDecision::answer_again:
      listener_.fail(asking.notification.id, EAGAIN);
      return Outcome::answered;
    case ReceiveDecision::wait_for_data:
      return hold(thread, asking, fd);
    case ReceiveDecision::wait_for_turn: {
      const Outcome outcome = hold(thread, asking, fd);
      if (outcome != Outcome::held) return outcome;
      look_again_.insert(HoldTable::data_of(thread.hold->ticket));  // its watch tells of data, not of the turn
      wake();
      return outcome;
    }
  }
  return Outcome::let_go;
}

// A look at one that waits with us. False if it goes on waiting.
bool Supervisor::take_held(TrackedThread& thread, int fd) {
  Hold& held = *thread.hold;
  auto sight = look(held, fd);
  ReceiveDecision decision = ReceiveDecision::let_go;
  if (sight) {
    const bool may_be_anothers = may_be_anothers_share(held, *sight, fd);
    if (!sight->readable && !held.terms.may_wait)
      held.terms.may_be_answered = can_only_be_eagain(held.notification, *find_metered_call(held.notification.call));
    decision = decide(held.terms, *sight, may_be_anothers);
  }
  if (decision == ReceiveDecision::wait_for_data) {
    holds_.watch_again(held.ticket, fd);
    return false;
  }
  if (decision == ReceiveDecision::wait_for_turn) {
    look_again_.insert(HoldTable::data_of(held.ticket));
    return false;
  }
  const std::uint64_t id = held.notification.id;
  if (!listener_.waits(id)) {
    interrupt_hold(thread);
    return false;
  }
  if (decision == ReceiveDecision::record) {
    Asking asking = held;
    asking.call.data_is_there = true;
    record_taken(thread, asking, *sight, fd);
  }
  end_hold(thread);
  decision == ReceiveDecision::answer_again ? listener_.fail(id, EAGAIN) : listener_.let_go(id);
  return true;
}

// Where it would be received from; nullptr for a listener, and for datagrams that come from different senders.
Flow* Supervisor::flow_of(const Asking& asking) {
  if (asking.identity.kind == DescriptorIdentity::Kind::pipe)
    return &meter_.conversations().pipe(asking.identity.device, asking.identity.id);
  const Socket* socket = meter_.conversations().find(asking.identity.id);
  return socket == nullptr ? nullptr : socket->in;
}

bool Supervisor::is_exact(const Asking& asking) {
  const Flow* flow = flow_of(asking);
  return flow != nullptr && flow->exact;
}

// What it takes is known afterwards: by the stream's own offset, or by the thread's counters.
bool Supervisor::tells_its_share(const Asking& asking) {
  const Flow* flow = flow_of(asking);
  return flow != nullptr && flow->kind == ChannelKind::stream && (flow->exact || asking.call.counted_in_io);
}

void Supervisor::look_at_memory(const Asking& asking, Socket& socket, int fd) {
  if (socket.description.local_name.ends_with(":0")) socket.description = describe_socket(fd);  // bound by a send
  if (const auto memory = datagram_memory(fd)) meter_.looks_at(asking.call, socket, *memory);
}

// Nothing if the kernel does not say where the stream stands.
std::optional<QueueSight> Supervisor::look(const Asking& asking, int fd) {
  QueueSight sight;
  Socket* const socket = asking.identity.kind == DescriptorIdentity::Kind::socket
                             ? meter_.conversations().find(asking.identity.id)
                             : nullptr;
  if (socket != nullptr && socket->description.listening) {
    sight.readable = is_readable(fd);
    sight.front.stream = true;
    return sight;
  }
  if (socket != nullptr && socket->description.medium == Medium::udp) look_at_memory(asking, *socket, fd);
  if (socket != nullptr && keeps_boundaries(socket->description.medium)) return datagram_sight(fd);
  Flow& flow = *flow_of(asking);
  bool ended = false;
  if (flow.exact) {
    const auto state = tcp_receive_state(fd, flow.received.expected());
    if (!state) return std::nullopt;
    sight.offset = state->offset;
    sight.bytes = state->waiting;
    ended = state->ended;
  } else {
    sight.bytes = bytes_waiting(fd);
  }
  const bool only_sends_tell = !flow.exact && socket != nullptr && !asking.call.counted_in_io;
  if (only_sends_tell) {
    const auto received = received_by_sends(flow, fd, sight.bytes);
    if (received) (received->certain ? sight.offset : sight.stands_beyond) = received->bytes;
  }
  sight.front = {sight.bytes, 0, true};
  sight.readable = sight.bytes > 0 || ended || is_readable(fd);
  sight.bytes =
      only_sends_tell ? bytes_of_one_receive(fd, asking.asked, sight.bytes) : std::min(asking.asked, sight.bytes);
  return sight;
}

// Of what was sent all that waits no more has been received: receives may have taken more than was seen before them.
std::optional<StreamBalance::Received> Supervisor::received_by_sends(Flow& flow, int fd, std::uint64_t waiting) {
  const auto received = meter_.received(flow, waiting, false);
  if (!received || received->certain || waiting > 0 || !comes_no_more(fd) || bytes_waiting(fd) > 0) return received;
  return meter_.received(flow, 0, true);
}

// What was seen is its own now.
void Supervisor::record_taken(TrackedThread& thread, const Asking& asking, const QueueSight& sight, int fd) {
  const MeteredCall& shape = *find_metered_call(asking.notification.call);
  Call call = asking.call;
  call.time = local_time();  // what was seen waiting had come by now
  call.now_ns = call.time.ns - clock_offset_ns_;
  call.load = load_.runnable(call.now_ns);
  const bool others_wait = waiting_for_.contains(asking.identity.id);
  if (sight.readable && (others_wait || !tells_its_share(asking))) {
    thread.taking = asking.identity.id;
    QueueFront front = sight.front;
    front.with_others = shape.length == LengthForm::messages;
    turns_.give(asking.identity.id, {thread.execution->tid(), call.descriptor, call.now_ns, front});
  }
  // It may have been forgotten while the call waited, and not be there to be described any more.
  const bool is_socket = asking.identity.kind == DescriptorIdentity::Kind::socket;
  Socket* socket = is_socket ? socket_behind(fd, asking.identity.id) : nullptr;
  if (is_socket && socket == nullptr) return;
  if (shape.family == CallFamily::accept) return record_accept(thread, call, asking.notification, *socket);
  Flow* flow = flow_of(asking);
  if (sight.datagram) {
    // It may have got its name by a send since it was looked at.
    if (flow == nullptr && socket->description.local_name.ends_with(":0")) socket->description = describe_socket(fd);
    if (shape.length == LengthForm::messages) return takes_several(asking, call, sight.datagram, fd);
    if (flow == nullptr) flow = &meter_.conversations().datagrams_from(sight.datagram->sender_name, *socket);
    return meter_.receives_datagram(call, *flow, sight.datagram->length_bytes);
  }
  if (flow->passed_by) meter_.align(call, *flow, bytes_waiting(fd));
  const bool guesses = call.takes_all && sight.bytes == sight.front.bytes;  // nothing in between ends it
  Amount amount{asking.asked, guesses ? asking.asked : sight.bytes, sight.offset};
  amount.stands_beyond = sight.stands_beyond;
  meter_.receives(call, *flow, amount);
  if (shape.family == CallFamily::transfer) send(asking.notification, shape, thread, amount.probable);
}

// A recvmmsg() on datagrams goes on. `first`: of those that wait.
void Supervisor::takes_several(const Asking& asking, const Call& call, const std::optional<WaitingDatagram>& first,
                               int fd) {
  const auto& arguments = asking.notification.arguments;
  SeveralDatagrams::Asked asked;
  asked.call = call;
  asked.address = arguments[1];
  asked.count = std::min<std::uint64_t>(static_cast<std::uint32_t>(arguments[2]), MessageArray::kEntriesMax);
  asked.socket = asking.identity.id;
  const bool stops_early = (arguments[3] & MSG_WAITFORONE) != 0 || arguments[4] != 0;
  asked.takes_all = call.may_wait && !stops_early && receive_timeout_ns(fd) == 0;
  const Socket* socket = meter_.conversations().find(asked.socket);
  std::vector<WaitingDatagram> seen;
  if (first && asked.count > 0) seen.push_back(*first);
  if (!seen.empty() && socket != nullptr && !socket->program_peeks)
    for (auto& next : datagrams_behind(fd, *first, asked.count - 1)) seen.push_back(std::move(next));
  several_.goes_on(asked, seen);
}

// Calls whose thread makes no other for a while.
void Supervisor::settle_several(std::int64_t now_ns) {
  constexpr std::int64_t kOldNs = 100'000'000;
  for (const auto& [tid, descriptor] : several_.waiting(now_ns - kOldNs)) {
    const auto found = threads_.find(tid);
    if (found != threads_.end() && !may_be_in_call(*found->second, descriptor))
      several_.is_over(tid, local_time(), now_ns);
  }
}

// Whether what was seen may be what others are just about to take. Where their threads show that they have taken it,
// they did so after the look or before: then `sight` is what another look shows.
bool Supervisor::may_be_anothers_share(const Asking& asking, QueueSight& sight, int fd) {
  if (!sight.readable) return false;
  const std::int64_t now_ns = local_time().ns - clock_offset_ns_;
  bool is_old = false;
  const std::size_t others = turns_.still_taking(asking.identity.id, [&](Turns::Taker& taker) {
    if (taker.tid == asking.notification.tid || !is_same_data(taker.front, sight.front)) return true;
    const bool left = has_left(taker, now_ns);
    is_old |= left;
    return left;
  });
  if (is_old) {
    if (const auto again = look(asking, fd)) sight = *again;
  }
  const bool accepts = find_metered_call(asking.notification.call)->family == CallFamily::accept;
  return sight.readable && others > 0 && (!accepts || others >= connections_waiting(fd));
}

bool Supervisor::has_left(Turns::Taker& taker, std::int64_t now_ns) {
  const auto found = threads_.find(taker.tid);
  if (found == threads_.end()) return true;
  TrackedThread& thread = *found->second;
  Turns::ThreadSight seen;
  if (!thread.files.cpu_time_ns(seen.cpu_ns)) return true;
  seen.sleeps_elsewhere = call_state(thread.execution->pid(), taker.tid, taker.descriptor) == CallState::elsewhere;
  return Turns::has_left(taker, seen, now_ns);
}

// The thread is out of the call that was let go to take something: it is the next one's turn.
void Supervisor::end_turn(TrackedThread& thread) {
  if (!thread.taking) return;
  const std::uint64_t id = *std::exchange(thread.taking, std::nullopt);
  turns_.left(id, thread.execution->tid());
  const auto waiting = waiting_for_.find(id);
  if (waiting != waiting_for_.end()) fire(waiting->second.front()->hold->ticket);
}

}  // namespace dpm
