#include "backends/linux/supervisor/held_calls.hpp"

#include <cerrno>
#include <utility>

#include "backends/linux/supervisor/unmade_calls.hpp"

namespace dpm {

HeldCalls::HeldCalls(Shared& shared, HeldSlots& slots, int epoll_fd, std::function<void()> wake)
    : shared_(shared), slots_(slots), table_(epoll_fd), wake_(std::move(wake)) {}

bool HeldCalls::hold(TrackedThread& thread, const Asking& asking, int fd) {
  if (!slots_.has_room()) return false;
  const auto ticket = table_.watch(fd);
  if (!ticket) return false;
  const bool is_socket = asking.identity.kind == DescriptorIdentity::Kind::socket;
  const std::uint64_t timeout_ns = is_socket && asking.terms.may_wait ? shared_.files.receive_timeout_ns(fd) : 0;
  Hold held;
  static_cast<Asking&>(held) = asking;
  held.slot = *slots_.keep(asking.notification);
  held.ticket = *ticket;
  held.deadline_ns = timeout_ns == 0 ? 0 : asking.call.now_ns + static_cast<std::int64_t>(timeout_ns);
  by_place_[held.ticket.place] = &thread;
  waiting_for_[held.identity.number()].push_back(&thread);
  ++shared_.summary.held_calls;
  if (held.deadline_ns != 0) wake_();
  thread.hold = held;
  return true;
}

void HeldCalls::look_again_now(TrackedThread& thread) {
  look_again_soon(thread);
  wake_();
}

void HeldCalls::end(TrackedThread& thread) {
  table_.release(thread.hold->ticket);
  by_place_.erase(thread.hold->ticket.place);
  const auto waiting = waiting_for_.find(thread.hold->identity.number());
  std::erase(waiting->second, &thread);
  if (waiting->second.empty()) waiting_for_.erase(waiting);
  slots_.clear(thread.hold->slot);
  thread.hold.reset();
}

void HeldCalls::interrupt(TrackedThread& thread) {
  thread.process->is_interrupted = true;
  thread.interrupted = thread.hold;
  thread.interrupted_at = shared_.clock.now();
  end(thread);
}

bool HeldCalls::was_taken_away(TrackedThread& thread) {
  if (shared_.answers.waits(thread.hold->notification.id)) return false;
  interrupt(thread);
  return true;
}

bool HeldCalls::go_on(TrackedThread& thread) {
  const Notification notification = thread.hold->notification;
  end(thread);
  const bool goes_on = shared_.answers.let_go(notification.id);
  if (!goes_on) note_unmade(shared_, thread, notification);
  return goes_on;
}

void HeldCalls::fail(TrackedThread& thread, int error_number) {
  const std::uint64_t id = thread.hold->notification.id;
  end(thread);
  shared_.answers.fail(id, error_number);
}

void HeldCalls::may_take(std::uint64_t file) {
  const auto waiting = waiting_for_.find(file);
  if (waiting != waiting_for_.end()) look_(*waiting->second.front());
}

// The oldest call that waits for this data gets it. The call whose watch fired looks again a moment later, when the
// data has been taken.
void HeldCalls::fired(std::uint64_t data) {
  const HoldTable::Ticket ticket = HoldTable::ticket_of(data);
  if (!table_.is_current(ticket)) return;
  TrackedThread& fired = *by_place_.at(ticket.place);
  TrackedThread& oldest = *waiting_for_.at(fired.hold->identity.number()).front();
  look_(oldest);
  if (&fired != &oldest && table_.is_current(ticket)) look_(fired);
}

std::int64_t HeldCalls::next_deadline_ns() const {
  std::int64_t next = 0;
  for (const auto& [place, thread] : by_place_) {
    const std::int64_t deadline_ns = thread->hold->deadline_ns;
    if (deadline_ns != 0 && (next == 0 || deadline_ns < next)) next = deadline_ns;
  }
  return next;
}

void HeldCalls::fail_late(std::int64_t now_ns) {
  std::vector<TrackedThread*> late;
  for (const auto& [place, thread] : by_place_) {
    const std::int64_t deadline_ns = thread->hold->deadline_ns;
    if (deadline_ns != 0 && deadline_ns <= now_ns) late.push_back(thread);
  }
  for (TrackedThread* thread : late) fail(*thread, EAGAIN);
}

void HeldCalls::check() {
  constexpr std::size_t kAtOnce = 64;
  std::vector<TrackedThread*> checked;
  auto next = by_place_.lower_bound(next_to_check_);
  for (; next != by_place_.end() && checked.size() < kAtOnce; ++next) checked.push_back(next->second);
  next_to_check_ = next == by_place_.end() ? 0 : next->first;
  for (TrackedThread* thread : checked) {
    if (was_taken_away(*thread)) continue;
    if (UniqueFd fd; !is_same_file(*thread, fd)) go_on(*thread);
  }
}

bool HeldCalls::is_same_file(TrackedThread& thread, UniqueFd& fd) {
  fd = shared_.files.borrow(thread.thread_fd.get(), thread.hold->call.descriptor);
  return fd && shared_.files.identify(fd.get()) == thread.hold->identity;
}

}  // namespace dpm
