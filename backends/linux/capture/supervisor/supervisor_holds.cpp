#include <algorithm>
#include <cerrno>
#include <utility>

#include "backends/linux/capture/supervisor/supervisor.hpp"

namespace dpm {

Supervisor::Outcome Supervisor::hold(TrackedThread& thread, const Asking& asking, int fd) {
  if (free_slots_.empty()) return Outcome::let_go;
  auto ticket = holds_.watch(fd);
  if (!ticket) return Outcome::let_go;
  const bool is_socket = asking.identity.kind == DescriptorIdentity::Kind::socket;
  const std::uint64_t timeout_ns = is_socket && asking.terms.may_wait ? receive_timeout_ns(fd) : 0;
  Hold held;
  static_cast<Asking&>(held) = asking;
  held.slot = free_slots_.back();
  held.ticket = *ticket;
  held.deadline_ns = timeout_ns == 0 ? 0 : asking.call.now_ns + static_cast<std::int64_t>(timeout_ns);
  free_slots_.pop_back();
  slots_[held.slot] = held.notification;
  by_place_[held.ticket.place] = &thread;
  waiting_for_[held.identity.id].push_back(&thread);
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
  if (waiting->second.empty()) waiting_for_.erase(waiting);
  slots_[thread.hold->slot] = {};
  free_slots_.push_back(thread.hold->slot);
  thread.hold.reset();
}

// We were stopped, and the keeper answers in our place; it needs a moment to see that we go on. Until then calls may
// pass either of us: none is recorded. What waited for us was not interrupted, and what threads did meanwhile is not
// known. A keeper that was killed meanwhile does not say that it has ended.
bool Supervisor::keeper_stands_in() {
  constexpr std::int64_t kSeesUsWithinNs = 1'000'000'000;
  const std::uint64_t changes = slots_.stand_in().changes;
  const std::int64_t now_ns = local_time().ns - clock_offset_ns_;
  const bool changed = changes != std::exchange(stand_ins_, changes);
  if (changed && changes % 2 == 1) stood_in_until_ns_ = now_ns + kSeesUsWithinNs;
  if (changed && changes % 2 == 0) stood_in_until_ns_ = now_ns;
  if (changed || (stood_in_until_ns_ != 0 && stood_in_until_ns_ <= now_ns)) pass_all();
  if (stood_in_until_ns_ <= now_ns) stood_in_until_ns_ = 0;
  return stood_in_until_ns_ != 0;
}

void Supervisor::pass_all() {
  drain_announcements();
  for (const auto& [tid, thread] : threads_) {
    if (thread->hold) {
      const std::uint64_t id = thread->hold->notification.id;
      end_hold(*thread);
      if (listener_.let_go(id)) ++passed_calls_;
    }
    if (thread->wait && thread->wait->held) {
      const std::uint64_t id = thread->wait->notification.id;
      end_wait(*thread);
      if (listener_.let_go(id)) ++passed_calls_;
    }
    thread->interrupted.reset();
    thread->interrupted_wait.reset();
    several_.forget(tid);
    thread->taking.reset();
  }
  turns_ = {};
  meter_.was_passed_by();
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

// Something may have come for a held call. False if it goes on waiting.
bool Supervisor::look_at_hold(TrackedThread& thread) {
  const Hold& held = *thread.hold;
  const UniqueFd fd = borrow_descriptor(thread.thread_fd.get(), held.call.descriptor);
  if (fd && identify(fd.get()) == held.identity) {
    const bool is_eventfd = held.identity.kind == DescriptorIdentity::Kind::eventfd;
    return is_eventfd ? take_held_units(thread, fd.get()) : take_held(thread, fd.get());
  }
  // Closed or replaced while we waited: the kernel itself shall say what that means.
  const std::uint64_t id = held.notification.id;
  if (!listener_.waits(id)) {
    interrupt_hold(thread);
    return false;
  }
  end_hold(thread);
  listener_.let_go(id);
  return true;
}

// The oldest call that waits for this data gets it; the one whose watch fired looks again a moment later, when it has
// been taken.
void Supervisor::fire(HoldTable::Ticket ticket) {
  if (!holds_.is_current(ticket)) return;
  TrackedThread& fired = *by_place_.at(ticket.place);
  TrackedThread& oldest = *waiting_for_.at(fired.hold->identity.id).front();
  look_at_hold(oldest);
  if (&fired != &oldest && holds_.is_current(ticket)) look_at_hold(fired);
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
