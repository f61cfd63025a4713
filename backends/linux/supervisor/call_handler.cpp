#include "backends/linux/supervisor/call_handler.hpp"

#include <cerrno>
#include <utility>

#include "backends/linux/supervisor/call_arguments.hpp"

namespace dpm {
namespace {

bool asks(const MeteredCall& shape) {
  return shape.family == CallFamily::receive || shape.family == CallFamily::accept;
}

}  // namespace

CallHandler::CallHandler(Shared& shared, const ProcessTracker::Terms& terms, NotificationSlots& slots, int epoll_fd,
                         std::function<void()> wake)
    : shared_(shared),
      tracker_(shared, terms, *this),
      inspector_(shared, tracker_.cpu_times(), tracker_.places(), tracker_.bypasses()),
      held_(shared, slots, epoll_fd, std::move(wake)),
      restarts_(shared, inspector_),
      sends_(shared, inspector_, held_, restarts_),
      receives_(shared, inspector_, held_, restarts_, sends_),
      waits_(shared, inspector_, tracker_, held_.slots()),
      path_calls_(shared, inspector_),
      confinements_(shared),
      unsettled_(shared, inspector_) {}

CallOutcome CallHandler::handle(const Notification& notification) {
  const MeteredCall* shape = notification.arch == kNativeArch ? find_metered_call(notification.call) : nullptr;
  TrackedThread* thread = thread_of(notification, shape);
  if (thread == nullptr) return CallOutcome::let_go;
  ++thread->metered->notified_calls;
  ++thread->metered->call_number;
  tracker_.bypasses().look_for_ring(*thread->metered);
  if (!last_call_is_over(notification, shape, *thread)) return CallOutcome::let_go;
  if (notification.arch != kNativeArch) note_32_bit_call(notification, *thread);
  if (shape == nullptr) return CallOutcome::let_go;
  const auto unmade = take_unmade(*thread, notification, shared_.clock.now());
  if ((unmade && unmade->stays_recorded) || (!unmade && restarts_.is_restarted(*thread, notification))) {
    --thread->metered->call_number;  // it is still that call, which may be under way for a while
    return CallOutcome::let_go;
  }
  const bool again = is_made_again(notification, *shape, *thread);
  const bool fails = must_fail(*shape, *thread, again);
  if (asks(*shape)) thread->interrupted.reset();
  if (fails) {
    shared_.answers.fail(notification.id, EINTR);
    return CallOutcome::answered;
  }
  thread->asks_again = again || unmade;
  return dispatch(notification, *shape, *thread);
}

void CallHandler::was_taken_away(const Notification& notification) {
  TrackedThread* const thread = shared_.table.thread(notification.tid);
  if (thread != nullptr) note_unmade(shared_, *thread, notification);
}

// What a new program does must not count as the old one's, and its announcement may still wait to be read. A thread that
// was seen a moment ago has executed nothing since: that takes several times as long.
bool CallHandler::may_have_executed(const TrackedThread& thread) const {
  constexpr std::int64_t kExecMinNs = 50'000;
  return !thread.metered->was_seen_after({shared_.clock.now().ns - kExecMinNs});
}

TrackedThread* CallHandler::thread_of(const Notification& notification, const MeteredCall* shape) {
  TrackedThread* thread = tracker_.thread_of(notification.tid);
  const bool waits_for_child = shape != nullptr && shape->family == CallFamily::child;
  if (thread != nullptr && (waits_for_child || thread->wait || may_have_executed(*thread))) {
    tracker_.read_news();  // an exec since then; children that have ended
    thread = tracker_.thread_of(notification.tid);
    if (thread != nullptr) tracker_.look_at(*thread);
    thread = tracker_.thread_of(notification.tid);
  }
  if (thread == nullptr) inspector_.could_not_look();
  return thread;
}

// The effect of the thread's last call is known now at the latest. False if the thread itself has ended meanwhile.
bool CallHandler::last_call_is_over(const Notification& notification, const MeteredCall* shape, TrackedThread& thread) {
  const bool receives = shape != nullptr && shape->family == CallFamily::receive;
  thread.metered->was_seen(shared_.clock.now());
  receives_.is_over(thread, receives ? descriptor_of(notification, *shape) : -1);
  sends_.is_over(thread);
  if (thread.wait && !waits_.is_past_wait(notification.tid)) return false;
  thread.counters_read = false;
  thread.seen_running = 0;  // in a call that is over
  if (Flow* const counted = thread.metered->counted.flow) {
    inspector_.read_counters(thread);
    if (counted->is_pipe) inspector_.settle_pipe(*counted, thread.metered);
  }
  return true;
}

// Whether this is a call that a signal interrupted, restarted by the kernel or made again by the program. Only a signal
// handler ran between, so it is still the same request.
bool CallHandler::is_made_again(const Notification& notification, const MeteredCall& shape,
                                const TrackedThread& thread) const {
  if (!thread.interrupted || !asks(shape)) return false;
  return is_same_call(thread.interrupted->notification, notification);
}

// The kernel never restarts a call that has a time limit of its socket (SO_RCVTIMEO): it fails with every handler.
bool CallHandler::must_fail(const MeteredCall& shape, TrackedThread& thread, bool again) const {
  return again && asks(shape) && thread.interrupted->deadline_ns != 0 &&
         is_restart(thread.interrupted_at, shared_.clock.now());
}

// Sockets are behind socketcall() too, whose descriptor lies in memory.
void CallHandler::note_32_bit_call(const Notification& notification, TrackedThread& thread) {
  constexpr std::int32_t kSocketcall = 102;
  if (notification.call != kSocketcall) {
    const UniqueFd fd = inspector_.borrow(thread, static_cast<std::int32_t>(notification.arguments[0]));
    if (!fd || shared_.files.identify(fd.get()).kind == DescriptorIdentity::Kind::other) return;
  }
  tracker_.bypasses().passes(Bypass::call_32, thread.metered->pid());
}

CallOutcome CallHandler::give(const Notification& notification, const MeteredCall& shape, TrackedThread& thread) {
  const UniqueFd fd = inspector_.borrow(thread, descriptor_of(notification, shape));
  if (!fd || shared_.files.identify(fd.get()).kind != DescriptorIdentity::Kind::pipe) return CallOutcome::let_go;
  return shared_.files.is_writable_end(fd.get()) ? sends_.send(notification, shape, thread)
                                                 : receives_.receive(notification, shape, thread);
}

CallOutcome CallHandler::dispatch(const Notification& notification, const MeteredCall& shape, TrackedThread& thread) {
  if (names_position(notification, shape)) return CallOutcome::let_go;
  switch (shape.family) {
    case CallFamily::receive:
      return receives_.receive(notification, shape, thread);
    case CallFamily::accept:
      return receives_.accept(notification, shape, thread);
    case CallFamily::transfer:
    case CallFamily::copy:
      return receives_.transfer(notification, shape, thread);
    case CallFamily::give:
      return give(notification, shape, thread);
    case CallFamily::bypass:
      tracker_.bypasses().passes(shape.bypass, thread.metered->pid());
      break;
    case CallFamily::child:
      return waits_.wait_for_child(notification, shape, thread);
    case CallFamily::send:
      return sends_.send(notification, shape, thread);
    case CallFamily::path:
      path_calls_.change_path(notification, shape, thread);
      break;
    case CallFamily::confine:
      return confinements_.confine(notification, thread);
  }
  return CallOutcome::let_go;
}

void CallHandler::look_around(std::int64_t now_ns) {
  held_.check();
  waits_.check(now_ns);
  tracker_.read_news();
  tracker_.look_around();
  receives_.settle_old(now_ns);
  read_closed_sockets();
  unsettled_.settle_old(now_ns);
}

// Announcements are read from time to time. A watch would wake the supervisor for each.
void CallHandler::read_closed_sockets() {
  if (!shared_.news.tells_of_sockets()) return;
  const LocalTime now = shared_.clock.now();
  const std::int64_t now_ns = shared_.clock.steady_ns(now);
  const auto news = shared_.news.drain_closed_sockets(
      [&](const ClosedSocket& closed) {
        receives_.closed(closed.cookie, now);
        shared_.meter.closed(closed, now, now_ns);
      },
      now_ns);
  if (!news.complete) shared_.meter.ends_are_missed(!news.listens);
}

// The calls that waited were not interrupted, and what threads did meanwhile is not known.
std::uint64_t CallHandler::pass_all() {
  tracker_.read_news();
  std::uint64_t passed = 0;
  for (const auto& [tid, thread] : shared_.table.threads()) {
    if (thread->hold) passed += held_.go_on(*thread) ? 1 : 0;
    if (thread->wait && thread->wait->held) passed += waits_.go_on(*thread) ? 1 : 0;
    thread->interrupted.reset();
    thread->interrupted_wait.reset();
    receives_.forget_memory(tid);
    thread->taking.reset();
  }
  receives_.forget_turns();
  shared_.meter.was_passed_by();
  return passed;
}

void CallHandler::finish() {
  read_closed_sockets();
  tracker_.read_news();
  tracker_.look_around();
  receives_.settle_several(shared_.clock.steady_now_ns());
  for (const auto& [tid, thread] : shared_.table.threads()) {
    if (thread->wait && thread->wait->held) waits_.go_on(*thread);
    if (thread->hold) held_.go_on(*thread);
  }
  for (const auto& [tid, thread] : shared_.table.threads()) {
    sends_.settle_parts(*thread, true);
    tracker_.cpu_times().read(*thread);
    shared_.meter.leave(*thread->metered);
  }
  const LocalTime now = shared_.clock.now();
  shared_.meter.finish(now, shared_.clock.steady_ns(now));
}

void CallHandler::thread_ends(TrackedThread& thread, bool number_goes_on) {
  const bool may_pass_on = thread.metered->tid() == thread.metered->pid() && thread.process->several_threads;
  if (thread.wait) waits_.thread_ends(thread);
  receives_.thread_ends(thread, !may_pass_on);
  sends_.settle_parts(thread, true);
  if (thread.metered->counted.flow != nullptr && !number_goes_on) inspector_.read_last_counters(thread);
  if (thread.metered->tid() == thread.metered->pid()) read_closed_sockets();
}

void CallHandler::program_changes(TrackedThread& thread) { receives_.forget_memory(thread.metered->tid()); }

void CallHandler::forget_thread(TrackedThread& thread) {
  if (thread.hold) held_.end(thread);
  if (thread.wait) waits_.end(thread);
  receives_.end_turn(thread);
  receives_.forget_memory(thread.metered->tid());
}

void CallHandler::child_is_gone(std::uint32_t parent_pid, const ChildState& child) { waits_.infer(parent_pid, child); }

void CallHandler::news_are_read() { waits_.settle(); }

std::vector<std::string> CallHandler::warnings() const {
  std::vector<std::string> warnings = tracker_.warnings();
  const auto add = [&warnings](const std::vector<std::string>& more) {
    warnings.insert(warnings.end(), more.begin(), more.end());
  };
  add(receives_.warnings());
  add(inspector_.warnings());
  add(shared_.meter.check_warnings());
  add(tracker_.bypasses().warnings());
  add(confinements_.warnings());
  return warnings;
}

}  // namespace dpm
