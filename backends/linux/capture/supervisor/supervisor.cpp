#include "backends/linux/capture/supervisor/supervisor.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <iterator>
#include <utility>

#include "backends/linux/capture/kernel/datagram_refusal.hpp"

namespace dpm {
namespace {

constexpr std::size_t kServingSlot = 0;
// Waking the thread that feeds the sink, on another CPU, costs as much as looking at a few calls.
constexpr std::size_t kBatchEvents = 1000;
// A call that comes again later than this after a signal was rather made again by the program.
constexpr std::int64_t kRestartMaxNs = 100'000'000;

std::uint64_t flags_of(const Notification& notification, const MeteredCall& shape) {
  return shape.flags < 0 ? 0 : notification.arguments[static_cast<std::size_t>(shape.flags)];
}

// A call that waits for room sends all.
bool moves_all(const Notification& notification, const MeteredCall& shape, int fd, std::uint64_t asked) {
  if (shape.family != CallFamily::send) return false;
  const bool may_wait = (flags_of(notification, shape) & MSG_DONTWAIT) == 0 && !is_non_blocking(fd);
  return may_wait || has_room_for(fd, asked);
}

int descriptor_of(const Notification& notification, const MeteredCall& shape) {
  return static_cast<int>(notification.arguments[static_cast<std::size_t>(shape.descriptor)]);
}

// recv(), send() and their like fail at once on what is no socket.
bool can_perform(const MeteredCall& shape, const DescriptorIdentity& identity) {
  return identity.kind == DescriptorIdentity::Kind::socket || shape.flags < 0;
}

}  // namespace

void Supervisor::serve() {
  Notification& notification = slots_[kServingSlot];
  while (!stopped_ && !all_gone_) {
    notification = {};
    const auto received = listener_.receive(notification);
    if (received == SeccompListener::Received::ended) {
      all_gone_ = true;
      wake();
      break;
    }
    if (received == SeccompListener::Received::none) continue;
    Outcome outcome = Outcome::let_go;
    {
      const std::lock_guard lock(mutex_);
      outcome = handle(notification);
    }
    if (outcome == Outcome::let_go) listener_.let_go(notification.id);
  }
  notification = {};
  served_ = true;
}

// The kernel's own switch between two CPUs costs ten times the work; with several active tasks it rather hurts.
void Supervisor::count_active(std::uint32_t tid) {
  constexpr std::uint64_t kLookEvery = 256, kFew = 4;
  if (std::find(std::begin(active_recently_), std::end(active_recently_), tid) == std::end(active_recently_))
    active_recently_[active_at_++ % std::size(active_recently_)] = tid;
  if (summary_.notified_calls % kLookEvery != 0 || !options_.sync_wake_up) return;
  const auto active = static_cast<std::uint64_t>(
      std::count_if(std::begin(active_recently_), std::end(active_recently_), [](auto recent) { return recent != 0; }));
  std::fill(std::begin(active_recently_), std::end(active_recently_), 0u);
  active_at_ = 0;
  if (const bool wanted = active <= kFew; wanted != sync_wake_up_) {
    sync_wake_up_ = wanted;
    listener_.set_sync_wake_up(wanted);
  }
}

Supervisor::Outcome Supervisor::handle(const Notification& notification) {
  ++summary_.notified_calls;
  note_activity();
  if (keeper_stands_in()) {
    ++passed_calls_;
    return Outcome::let_go;
  }
  count_active(notification.tid);
  const MeteredCall* shape = notification.arch == kNativeArch ? find_metered_call(notification.call) : nullptr;
  const bool waits_for_child = shape != nullptr && shape->family == CallFamily::child;
  TrackedThread* thread = tracked(notification.tid);
  if (thread != nullptr && (waits_for_child || thread->wait || thread->execution->counted.flow != nullptr)) {
    drain_announcements();  // an exec since then, whose counters would tell something else; children that have ended
    thread = tracked(notification.tid);
  }
  if (thread == nullptr) {
    if (may_open_no_more()) ++unlooked_calls_;
    return Outcome::let_go;
  }
  Execution& execution = *thread->execution;
  ++execution.notified_calls;
  ++execution.call_number;
  look_for_ring(execution);
  execution.was_seen(local_time());
  if (thread->hold) interrupt_hold(*thread);  // a signal took that call away
  read_accepted(*thread);
  several_.is_over(notification.tid, local_time(), local_time().ns - clock_offset_ns_);
  end_turn(*thread);
  if (thread->wait && !is_past_wait(notification.tid)) return Outcome::let_go;
  thread->counters_read = false;
  if (execution.counted.flow != nullptr) read_counters(*thread);
  if (shape == nullptr) return Outcome::let_go;
  const bool again = is_made_again(notification, *shape, *thread);
  // The kernel never restarts a call that has a time limit of its socket (SO_RCVTIMEO): it fails, whatever the handler.
  const bool fails =
      again && thread->interrupted->deadline_ns != 0 && (local_time() - thread->interrupted_at).ns < kRestartMaxNs;
  if (shape->family == CallFamily::receive || shape->family == CallFamily::accept) thread->interrupted.reset();
  if (fails) {
    listener_.fail(notification.id, EINTR);
    return Outcome::answered;
  }
  thread->asks_again = again;
  Outcome outcome = Outcome::let_go;
  switch (shape->family) {
    case CallFamily::receive:
      outcome = receive(notification, *shape, *thread);
      break;
    case CallFamily::send:
      send(notification, *shape, *thread);
      break;
    case CallFamily::accept:
      outcome = accept(notification, *thread);
      break;
    case CallFamily::transfer:
      outcome = transfer(notification, *shape, *thread);
      break;
    case CallFamily::child:
      outcome = wait_for_child(notification, *thread);
      break;
    case CallFamily::path:
      change_path(notification, *shape, *thread);
      break;
  }
  if (meter_.finished() >= kBatchEvents || execution.flags.immediate()) hand_on();
  return outcome;
}

bool Supervisor::may_open_no_more() const {
  const UniqueFd trial(::dup(wake_.get()));
  return !trial;
}

// Where this meter has no descriptor left, the call cannot be looked at; that is counted.
UniqueFd Supervisor::borrow(TrackedThread& thread, std::int32_t descriptor) {
  if (!thread.thread_fd) thread.thread_fd = open_thread(thread.execution->tid(), thread.execution->pid());
  const bool can_look = static_cast<bool>(thread.thread_fd);
  UniqueFd fd = can_look ? borrow_descriptor(thread.thread_fd.get(), descriptor) : UniqueFd();
  if (!fd && (errno == EMFILE || errno == ENFILE || errno == ENOMEM)) ++unlooked_calls_;
  return fd;
}

Call Supervisor::circumstances(const Notification& notification, const MeteredCall& shape, TrackedThread& thread) {
  read_cpu_time(thread);
  ++summary_.recorded_calls;
  Call call;
  call.execution = thread.execution;
  call.time = local_time();
  call.now_ns = call.time.ns - clock_offset_ns_;
  call.pc = place_of(notification, thread);
  call.load = load_.runnable(call.now_ns);
  call.descriptor = descriptor_of(notification, shape);
  call.counted_in_io = shape.counted_in_io;
  note_code(thread, call.pc);
  return call;
}

std::uint64_t Supervisor::place_of(const Notification& notification, TrackedThread& thread) {
  std::uint64_t stack_pointer = 0;
  if (!callers_ || !thread.files.stack_pointer(stack_pointer)) return notification.pc;
  return callers_->find(thread.execution->pid(), notification.tid, notification.pc, stack_pointer);
}

// Nothing if it is no way of messages, or not one on which the call could succeed.
std::optional<Supervisor::Way> Supervisor::way_behind(const Notification& notification, const MeteredCall& shape,
                                                      TrackedThread& thread) {
  const std::int32_t descriptor = descriptor_of(notification, shape);
  Way way;
  way.fd = borrow(thread, descriptor);
  if (!way.fd) return std::nullopt;
  way.identity = identify(way.fd.get(), thread.was_socket(descriptor));
  const bool is_socket = way.identity.kind == DescriptorIdentity::Kind::socket;
  thread.note_socket(descriptor, is_socket);
  if (way.identity.kind == DescriptorIdentity::Kind::other || !can_perform(shape, way.identity)) return std::nullopt;
  if (!is_socket) return way;
  way.socket = socket_behind(way.fd.get(), way.identity.id);
  if (way.socket == nullptr || way.socket->description.listening) return std::nullopt;
  return way;
}

// A socket's description is kept once it is connected or bound to stay as it is.
Socket* Supervisor::socket_behind(int fd, std::uint64_t id) {
  if (Socket* known = meter_.conversations().find(id)) return known;
  SocketDescription description = describe_socket(fd);
  if (description.medium == Medium::none) return nullptr;
  const bool stream = description.medium == Medium::tcp || description.medium == Medium::unix_stream;
  if (stream && !description.connected && !description.listening) return nullptr;
  return &meter_.conversations().add(id, std::move(description));
}

void Supervisor::send(const Notification& notification, const MeteredCall& shape, TrackedThread& thread,
                      std::uint64_t available) {
  if ((flags_of(notification, shape) & MSG_OOB) != 0) return;
  const auto way = way_behind(notification, shape, thread);
  if (!way) return;
  if (way->identity.kind == DescriptorIdentity::Kind::eventfd) return send_units(notification, shape, thread, *way);
  const auto& [fd, identity, socket] = *way;
  const Call call = circumstances(notification, shape, thread);
  if (socket != nullptr) meter_.uses(call, *socket);
  if (socket != nullptr && keeps_boundaries(socket->description.medium))
    return send_datagrams(notification, shape, fd.get(), *socket, call);
  Flow* flow = socket == nullptr ? &meter_.conversations().pipe(identity.device, identity.id) : socket->out;
  if (flow == nullptr) return;
  const std::uint64_t asked = asked_bytes(notification, shape);
  Amount amount{asked, std::min(asked, available)};
  if (flow->exact) {
    const auto state = tcp_send_state(fd.get(), socket->description.syn_counted, flow->sent.expected());
    if (!state) return;
    if (state->ended) return meter_.settle_at(call, *flow, true, state->offset);
    amount.offset = state->offset;
  } else {
    if (call.counted_in_io && !thread.counters_read) read_counters(thread);
    if (cannot_send(fd.get())) return;
    if (!call.counted_in_io) amount.moves_all = moves_all(notification, shape, fd.get(), asked);
  }
  meter_.sends(call, *flow, amount);
}

void Supervisor::send_datagrams(const Notification& notification, const MeteredCall& shape, int fd, Socket& socket,
                                const Call& call) {
  const auto send_one = [&](std::uint64_t bytes, const std::string& receiver) {
    if (refuses_datagram(fd, socket.description, bytes)) return false;
    Flow* flow = socket.out;
    if (flow == nullptr || !receiver.empty()) {
      // Where an unconnected socket sends from is decided by its first send; where a connected one sends to, by
      // connect.
      const bool settled =
          !socket.description.local_name.ends_with(":0") && (socket.description.connected || !receiver.empty());
      if (!settled) socket.description = describe_socket(fd);
      const std::string& to = receiver.empty() ? socket.description.peer_name : receiver;
      if (to.empty()) return false;
      flow = &meter_.conversations().datagrams_to(socket, to);
    }
    meter_.sends_datagram(call, *flow, bytes);
    return true;
  };
  if (shape.length == LengthForm::messages) {
    for (const auto& message : given_messages(notification, shape))
      if (!send_one(message.bytes, message.receiver)) return;  // sendmmsg() ends where one fails
    return;
  }
  send_one(asked_bytes(notification, shape), given_receiver(notification, shape));
}

// The calls of --exact-paths.
void Supervisor::change_path(const Notification& notification, const MeteredCall& shape, TrackedThread& thread) {
  const auto argument = [&notification](std::size_t at) {
    return static_cast<std::uint32_t>(notification.arguments[at]);
  };
  if (shape.path == PathCall::socket || shape.path == PathCall::pair) {
    constexpr std::uint32_t kTypeMask = 0xf;  // without SOCK_CLOEXEC and SOCK_NONBLOCK
    const std::uint32_t kind = argument(0) << 16 | (argument(1) & kTypeMask) << 8 | argument(2);
    // A pair's four messages are recorded when it is used.
    if (shape.path == PathCall::socket) meter_.creates_socket(circumstances(notification, shape, thread), kind);
    return;
  }
  const UniqueFd fd = borrow_descriptor(thread.thread_fd.get(), descriptor_of(notification, shape));
  if (!fd) return;
  const DescriptorIdentity identity = identify(fd.get());
  if (identity.kind != DescriptorIdentity::Kind::socket) return;
  const Call call = circumstances(notification, shape, thread);
  if (shape.path == PathCall::connect) return meter_.connects(call);
  if (shape.path == PathCall::close) return meter_.closes(call);
  const auto new_descriptor = shape.path == PathCall::dup_to ? static_cast<std::int32_t>(argument(1)) : -1;
  if (const Socket* socket = socket_behind(fd.get(), identity.id)) meter_.duplicates(call, *socket, new_descriptor);
}

// Where code lies is read from the process's map when a program counter is met that no known range holds.
void Supervisor::note_code(TrackedThread& thread, std::uint64_t pc) {
  constexpr int kLooksMax = 64;
  if (thread.last_code.holds(pc)) return;
  TrackedProcess& code = *thread.process;
  for (const auto& range : code.known) {
    if (!range.holds(pc)) continue;
    thread.last_code = range;
    return;
  }
  if (code.looks++ >= kLooksMax) return;
  if (const auto region = code_region(thread.execution->pid(), pc)) {
    code.known.push_back({region->start, region->end});
    meter_.code_lies({thread.execution->id(), region->start, region->end, region->file_offset, region->path});
  }
}

void Supervisor::hand_on() { queue_.push(meter_.take()); }

LocalTime Supervisor::local_time() const {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return {static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec + clock_offset_ns_};
}

}  // namespace dpm
