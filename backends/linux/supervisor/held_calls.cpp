#include "backends/linux/supervisor/held_calls.hpp"

#include <fcntl.h>
#include <sys/epoll.h>

#include <cerrno>
#include <utility>

#include "backends/linux/supervisor/restarted_calls.hpp"

namespace dpm {

bool HoldTable::add_place() {
  if (places_.size() >= kWatchesMax) return false;
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

bool HeldCalls::hold(TrackedThread& thread, const ReceiveRequest& request, int fd, bool may_wait) {
  if (held_.size() >= kHeldMost) let_oldest_wait();
  if (!slots_.has_room()) return false;
  const auto ticket = table_.watch(fd);
  if (!ticket) return false;
  const bool is_socket = request.identity.kind == DescriptorIdentity::Kind::socket;
  const std::uint64_t timeout_ns = is_socket && request.terms.may_wait ? shared_.files.receive_timeout_ns(fd) : 0;
  Hold held;
  static_cast<ReceiveRequest&>(held) = request;
  held.number = ++held_so_far_;
  held.slot = *slots_.keep(request.notification);
  held.ticket = *ticket;
  held.deadline_ns = timeout_ns == 0 ? 0 : request.call.now_ns + static_cast<std::int64_t>(timeout_ns);
  held_[held.number] = &thread;
  if (may_wait) may_wait_[held.number] = &thread;
  by_place_[held.ticket.place] = &thread;
  waiting_for_[held.identity.number()].push_back(&thread);
  ++shared_.summary.held_calls;
  if (held.deadline_ns != 0) {
    deadlines_.emplace(held.deadline_ns, &thread);
    wake_();
  }
  thread.hold = held;
  return true;
}

// A call that was let wait does not wait for others: only the oldest that asks for a file's data may take it.
void HeldCalls::let_oldest_wait() {
  while (held_.size() >= kHeldMost && !may_wait_.empty()) {
    TrackedThread& oldest = *may_wait_.begin()->second;
    may_wait_.erase(may_wait_.begin());
    if (waiting_for_.at(oldest.hold->identity.number()).front() == &oldest) let_wait(oldest);
  }
}

void HeldCalls::let_wait(TrackedThread& thread) {
  leave_list(thread, *thread.hold);
  thread.hold->waits_in_kernel = true;
  if (!shared_.answers.let_go(thread.hold->notification.id)) interrupt(thread);
}

void HeldCalls::leave_list(TrackedThread& thread, const Hold& hold) {
  held_.erase(hold.number);
  may_wait_.erase(hold.number);
  deadlines_.erase({hold.deadline_ns, &thread});
  slots_.clear(hold.slot);
}

void HeldCalls::inspect_now(TrackedThread& thread) {
  inspect_soon(thread);
  wake_();
}

Hold HeldCalls::end(TrackedThread& thread) {
  const Hold ended = *std::exchange(thread.hold, std::nullopt);
  if (!ended.waits_in_kernel) leave_list(thread, ended);
  table_.release(ended.ticket);
  by_place_.erase(ended.ticket.place);
  const auto waiting = waiting_for_.find(ended.identity.number());
  std::erase(waiting->second, &thread);
  if (waiting->second.empty()) waiting_for_.erase(waiting);
  return ended;
}

void HeldCalls::interrupt(TrackedThread& thread) {
  thread.process->is_interrupted = true;
  thread.interrupted = end(thread);
  thread.interrupted_at = shared_.clock.now();
}

bool HeldCalls::was_taken_away(TrackedThread& thread) {
  if (shared_.answers.waits(thread.hold->notification.id)) return false;
  interrupt(thread);
  return true;
}

bool HeldCalls::go_on(TrackedThread& thread) {
  const Hold hold = end(thread);
  if (hold.waits_in_kernel) return false;
  const bool goes_on = shared_.answers.let_go(hold.notification.id);
  if (!goes_on) note_unmade(shared_, thread, hold.notification);
  return goes_on;
}

void HeldCalls::fail(TrackedThread& thread, int error_number) {
  shared_.answers.fail(end(thread).notification.id, error_number);
}

void HeldCalls::may_come(std::uint64_t file, LocalTime time) {
  const auto waiting = waiting_for_.find(file);
  if (waiting == waiting_for_.end()) return;
  TrackedThread& oldest = *waiting->second.front();
  if (!oldest.hold->waits_in_kernel || oldest.hold->may_have_come) return;
  oldest.hold->may_have_come = time;
  inspect_soon(oldest);
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

std::int64_t HeldCalls::next_deadline_ns() const { return deadlines_.empty() ? 0 : deadlines_.begin()->first; }

void HeldCalls::fail_late(std::int64_t now_ns) {
  while (!deadlines_.empty() && deadlines_.begin()->first <= now_ns) fail(*deadlines_.begin()->second, EAGAIN);
}

void HeldCalls::check() {
  constexpr std::size_t kAtOnce = 64;
  std::vector<TrackedThread*> checked;
  auto next = held_.lower_bound(next_to_check_);
  for (; next != held_.end() && checked.size() < kAtOnce; ++next) checked.push_back(next->second);
  next_to_check_ = next == held_.end() ? 0 : next->first;
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
