#include "backends/linux/supervisor/held_calls.hpp"

#include <fcntl.h>
#include <sys/epoll.h>

#include <cerrno>

#include "backends/linux/supervisor/restarted_calls.hpp"

namespace dpm {

bool HoldTable::add_place() {
  if (places_.size() >= kHoldsMax) return false;
  UniqueFd number(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!number) return false;
  places_.push_back({std::move(number), 1});
  free_.push_back(static_cast<std::uint32_t>(places_.size() - 1));
  return true;
}

bool HoldTable::register_watch(std::uint32_t place, int borrowed) {
  const int number = places_[place].number.get();
  UniqueFd placeholder(::fcntl(number, F_DUPFD_CLOEXEC, number + 1));
  if (!placeholder || ::dup3(borrowed, number, O_CLOEXEC) < 0) return false;
  epoll_event event = {};
  event.events = EPOLLIN | EPOLLRDHUP | EPOLLONESHOT;
  event.data.u64 = data_of({place, places_[place].generation});
  bool watched = ::epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, number, &event) == 0;
  // The same file was watched from this place before: the entry is still there.
  if (!watched && errno == EEXIST) watched = ::epoll_ctl(epoll_fd_, EPOLL_CTL_MOD, number, &event) == 0;
  ::dup3(placeholder.get(), number, O_CLOEXEC);
  return watched;
}

Result<HoldTicket> HoldTable::watch(int borrowed) {
  if (free_.empty() && !add_place()) return Error{"more calls wait than can be watched"};
  const std::uint32_t place = free_.back();
  if (!register_watch(place, borrowed)) return Error::from_errno("watch a waiting call's descriptor");
  free_.pop_back();
  return HoldTicket{place, places_[place].generation};
}

bool HoldTable::watch_again(HoldTicket ticket, int borrowed) {
  return is_current(ticket) && register_watch(ticket.place, borrowed);
}

void HoldTable::release(HoldTicket ticket) {
  if (!is_current(ticket)) return;
  ++places_[ticket.place].generation;
  free_.push_back(ticket.place);
}

bool HeldCalls::hold(TrackedThread& thread, const ReceiveRequest& request, int fd) {
  if (!slots_.has_room()) return false;
  const auto ticket = table_.watch(fd);
  if (!ticket) return false;
  const bool is_socket = request.identity.kind == DescriptorIdentity::Kind::socket;
  const std::uint64_t timeout_ns = is_socket && request.terms.may_wait ? shared_.files.receive_timeout_ns(fd) : 0;
  Hold held;
  static_cast<ReceiveRequest&>(held) = request;
  held.slot = *slots_.keep(request.notification);
  held.ticket = *ticket;
  held.deadline_ns = timeout_ns == 0 ? 0 : request.call.now_ns + static_cast<std::int64_t>(timeout_ns);
  by_place_[held.ticket.place] = &thread;
  waiting_for_[held.identity.number()].push_back(&thread);
  ++shared_.summary.held_calls;
  if (held.deadline_ns != 0) wake_();
  thread.hold = held;
  return true;
}

void HeldCalls::inspect_now(TrackedThread& thread) {
  inspect_soon(thread);
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
  if (waiting != waiting_for_.end()) inspect_(*waiting->second.front());
}

// The oldest call that waits for this data gets it. The call whose watch fired is inspected a moment later, when
// the data has been taken.
void HeldCalls::fired(std::uint64_t data) {
  const HoldTicket ticket = HoldTable::ticket_of(data);
  if (!table_.is_current(ticket)) return;
  TrackedThread& fired = *by_place_.at(ticket.place);
  TrackedThread& oldest = *waiting_for_.at(fired.hold->identity.number()).front();
  inspect_(oldest);
  if (&fired != &oldest && table_.is_current(ticket)) inspect_(fired);
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
