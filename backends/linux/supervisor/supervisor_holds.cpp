#include <algorithm>
#include <cerrno>

#include "backends/linux/supervisor/supervisor.hpp"

namespace dpm {

Supervisor::Outcome Supervisor::hold(const Notification& notification, TrackedThread& thread, int fd,
                                     const DescriptorIdentity& identity, const Call& call, std::uint64_t asked,
                                     std::uint64_t timeout_ns) {
  if (free_slots_.empty()) return Outcome::let_go;
  auto ticket = holds_.watch(fd);
  if (!ticket) return Outcome::let_go;
  Hold held;
  held.notification = notification;
  held.slot = free_slots_.back();
  held.ticket = *ticket;
  held.identity = identity;
  held.call = call;
  held.asked = asked;
  held.deadline_ns = timeout_ns == 0 ? 0 : call.now_ns + static_cast<std::int64_t>(timeout_ns);
  free_slots_.pop_back();
  slots_[held.slot] = notification;
  by_place_[held.ticket.place] = &thread;
  waiting_for_[identity.id].push_back(&thread);
  ++summary_.held_calls;
  if (held.deadline_ns != 0) wake();  // whoever attends sleeps until the deadline it knew
  thread.hold = held;
  return Outcome::held;
}

void Supervisor::end_hold(TrackedThread& thread) {
  holds_.release(thread.hold->ticket);
  by_place_.erase(thread.hold->ticket.place);
  const auto waiting = waiting_for_.find(thread.hold->identity.id);
  std::erase(waiting->second, &thread);
  if (waiting->second.empty()) {
    takers_.erase(waiting->first);
    waiting_for_.erase(waiting);
  }
  slots_[thread.hold->slot] = {};
  free_slots_.push_back(thread.hold->slot);
  thread.hold.reset();
}

void Supervisor::interrupt_hold(TrackedThread& thread) {
  thread.interrupted = thread.hold;
  thread.interrupted_at = local_time();
  end_hold(thread);
}

// A call that a signal interrupted and that comes again, restarted by the kernel or made again by the program: nothing
// but a handler lies between, and it is still the same asking.
bool Supervisor::is_made_again(const Notification& notification, const MeteredCall& shape, TrackedThread& thread) {
  if (!thread.interrupted || (shape.family != CallFamily::receive && shape.family != CallFamily::accept)) return false;
  const Notification& before = thread.interrupted->notification;
  return before.call == notification.call && before.pc == notification.pc && before.arguments == notification.arguments;
}

// Something came for a held call: it is recorded as of now, and goes on. False if there is nothing after all.
bool Supervisor::complete(TrackedThread& thread) {
  Hold& held = *thread.hold;
  const MeteredCall& shape = *find_metered_call(held.notification.call);
  const UniqueFd fd = borrow_descriptor(thread.thread_fd.get(), held.call.descriptor);
  // Closed or replaced while we waited: the kernel itself shall say what that means.
  const bool same = fd && identify(fd.get()) == held.identity;
  if (same && !is_readable(fd.get())) {
    holds_.watch_again(held.ticket, fd.get());
    return false;
  }
  if (!listener_.waits(held.notification.id)) {
    interrupt_hold(thread);
    return false;
  }
  if (same) {
    Call call = held.call;
    call.time = local_time();
    call.data_is_there = true;
    call.now_ns = call.time.ns - clock_offset_ns_;
    call.load = load_.runnable(call.now_ns);
    Socket* socket = meter_.conversations().find(held.identity.id);
    if (shape.family == CallFamily::accept) {
      meter_.accepts(call, *socket);
    } else if (shape.family == CallFamily::transfer) {
      move(held.notification, shape, thread, fd.get(), *stream_from(fd.get(), held.identity), call);
    } else {
      record_held_receive(held, call, fd.get(), socket);
    }
  }
  const std::uint64_t id = held.notification.id;
  end_hold(thread);
  listener_.let_go(id);
  return true;
}

void Supervisor::record_held_receive(const Hold& held, Call call, int fd, Socket* socket) {
  const bool is_pipe = held.identity.kind == DescriptorIdentity::Kind::pipe;
  Conversations& conversations = meter_.conversations();
  Flow* flow = is_pipe ? &conversations.pipe(held.identity.device, held.identity.id) : socket->in;
  if (flow == nullptr || flow->kind == ChannelKind::datagram) {
    const auto waiting = peek_datagram(fd);
    if (!waiting) return;
    if (flow == nullptr && socket->description.local_name.ends_with(":0")) socket->description = describe_socket(fd);
    if (flow == nullptr) flow = &conversations.datagrams_from(waiting->sender_name, *socket);
    call.time = local_time();
    meter_.receives_datagram(call, *flow, waiting->length_bytes);
    return;
  }
  Amount amount{held.asked, 0};
  if (flow->exact) {
    const auto state = tcp_receive_state(fd, flow->received.expected());
    if (!state) return;
    amount.offset = state->offset;
    amount.probable = std::min<std::uint64_t>(held.asked, state->waiting);
  } else {
    amount.probable = std::min<std::uint64_t>(held.asked, bytes_waiting(fd));
  }
  call.time = local_time();  // what was seen waiting had come by now
  meter_.receives(call, *flow, amount);
}

// What the last one was let go for is still there until it has run: its CPU time, its next call, or less data shows
// that.
bool Supervisor::is_being_taken(std::uint64_t id, int fd) {
  constexpr std::int64_t kTakesAtMostNs = 100'000'000;
  const auto taker = takers_.find(id);
  if (taker == takers_.end()) return false;
  const auto thread = threads_.find(taker->second.tid);
  const std::int64_t now_ns = local_time().ns - clock_offset_ns_;
  std::uint64_t cpu_ns = 0;
  if (thread != threads_.end() && thread->second->execution->call_number == taker->second.call_number &&
      bytes_waiting(fd) >= taker->second.waiting_bytes && now_ns - taker->second.since_ns < kTakesAtMostNs &&
      thread->second->files.cpu_time_ns(cpu_ns) && cpu_ns == taker->second.cpu_ns)
    return true;
  takers_.erase(taker);
  return false;
}

// The oldest call that waits for this data gets it; the others look again a moment later, when it has been taken.
void Supervisor::fire(HoldTable::Ticket ticket) {
  if (!holds_.is_current(ticket)) return;
  const std::uint64_t id = by_place_.at(ticket.place)->hold->identity.id;
  const std::vector<TrackedThread*>& claims = waiting_for_.at(id);
  TrackedThread& oldest = *claims.front();
  const UniqueFd fd = borrow_descriptor(oldest.thread_fd.get(), oldest.hold->call.descriptor);
  const bool taken = is_being_taken(id, fd.get());
  if (taken || claims.size() > 1) look_again_.push_back(ticket);
  if (taken) return;
  Taker taker{.tid = oldest.execution->tid(), .call_number = oldest.execution->call_number};
  taker.waiting_bytes = bytes_waiting(fd.get());
  taker.since_ns = local_time().ns - clock_offset_ns_;
  const bool several = claims.size() > 1 && oldest.files.cpu_time_ns(taker.cpu_ns);
  if (complete(oldest) && several) takers_[id] = taker;
}

std::int64_t Supervisor::next_deadline_ns() const {
  std::int64_t next = 0;
  for (const auto& [place, thread] : by_place_) {
    const std::int64_t deadline_ns = thread->hold->deadline_ns;
    if (deadline_ns != 0 && (next == 0 || deadline_ns < next)) next = deadline_ns;
  }
  return next;
}

void Supervisor::check_deadlines(std::int64_t now_ns) {
  std::vector<TrackedThread*> late;
  for (const auto& [place, thread] : by_place_) {
    const std::int64_t deadline_ns = thread->hold->deadline_ns;
    if (deadline_ns != 0 && deadline_ns <= now_ns) late.push_back(thread);
  }
  for (TrackedThread* thread : late) {
    const std::uint64_t id = thread->hold->notification.id;
    end_hold(*thread);
    listener_.fail(id, EAGAIN);
  }
}

// Signals and close() by another thread end a hold without its descriptor becoming readable. A few are looked at each
// time, all of them in turn.
void Supervisor::check_holds() {
  constexpr std::size_t kAtOnce = 64;
  std::vector<TrackedThread*> checked;
  auto next = by_place_.lower_bound(next_to_check_);
  for (; next != by_place_.end() && checked.size() < kAtOnce; ++next) checked.push_back(next->second);
  next_to_check_ = next == by_place_.end() ? 0 : next->first;
  for (TrackedThread* thread : checked) {
    const Hold& held = *thread->hold;
    const std::uint64_t id = held.notification.id;
    if (!listener_.waits(id)) {
      interrupt_hold(*thread);
      continue;
    }
    const UniqueFd fd = borrow_descriptor(thread->thread_fd.get(), held.call.descriptor);
    if (fd && identify(fd.get()) == held.identity) continue;
    end_hold(*thread);
    listener_.let_go(id);
  }
}

}  // namespace dpm
