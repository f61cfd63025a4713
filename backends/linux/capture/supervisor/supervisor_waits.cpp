// wait4() and waitid(): a parent that waits for a child depends on the child's end as on a message.
//
//     parent  wait4() ......held......  WAIT, let go ── takes note of the end
//     child   ────────────────── end ▲
//                                    └ its CPU clock is read: until the parent's call goes on, the dead child stays
//
// A call is held until the kernel would let it return. It is not held when its process catches SIGCHLD: the signal
// would take the call away before we can let it go, and a handler without SA_RESTART would then show the program EINTR
// where the kernel alone returns the child. Only programs that are known to make such a call again are held all the
// same, and only where their children's CPU time cannot be known otherwise. Other calls are let go at once, and what they returned is inferred from the
// announcement that the child has ended.
#include <poll.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "backends/linux/capture/supervisor/supervisor.hpp"
#include "os/process_handle.hpp"

namespace dpm {
namespace {

constexpr std::size_t kThreadsMax = 16;      // of a process whose children are looked up thread by thread
constexpr std::size_t kChildrenPolled = 64;  // of more, announcements alone tell that they have ended
constexpr std::int64_t kFirstLookNs = 5'000'000;
constexpr std::int64_t kLooksApartMaxNs = 300'000'000;

// They catch SIGCHLD, and make a wait again that it has interrupted, or let the kernel do so: from their sources, and
// tested (tests/linux/conformance/check_waits).
constexpr std::array<std::string_view, 5> kWaitAgain = {"/usr/bin/dash", "/bin/dash", "/usr/bin/bash", "/bin/bash",
                                                        "/usr/bin/make"};

bool waits_again(std::string_view program) {
  return std::find(kWaitAgain.begin(), kWaitAgain.end(), program) != kWaitAgain.end();
}

}  // namespace

Supervisor::Outcome Supervisor::wait_for_child(const Notification& notification, TrackedThread& thread) {
  WaitRequest request = wait_request(notification);
  if (request.which == WaitRequest::Which::descriptor) {
    const UniqueFd fd = borrow_descriptor(thread.thread_fd.get(), static_cast<int>(request.id));
    request.which = WaitRequest::Which::process;
    request.id = fd ? process_of(fd.get()) : 0;
    request.blocks &= fd && !is_non_blocking(fd.get());  // as PIDFD_NONBLOCK makes it
  }
  const Kinship& kinship = thread.process->kinship;
  if (!request.ends || kinship.children.empty()) return Outcome::let_go;
  ThreadFiles::ChildHandling handling;
  if (!thread.files.child_handling(handling)) return Outcome::let_go;
  const bool holds = may_hold_wait(thread, request, handling);
  const WaitLook look = look_at_children(thread, request, handling.group, holds);
  settle_waits();  // of other threads, if an end was found that had not been announced yet
  if (look.ended.empty() && (!request.blocks || !look.some_run)) return Outcome::let_go;

  ChildWait wait;
  wait.notification = notification;
  wait.request = request;
  wait.own_group = handling.group;
  wait.call = circumstances(notification, *find_metered_call(notification.call), thread);
  wait.since_ns = wait.call.now_ns;
  const auto before = std::exchange(thread.interrupted_wait, std::nullopt);
  if (before && before->notification.pc == notification.pc && before->notification.arguments == notification.arguments)
    wait.since_ns = before->since_ns;
  thread.wait = wait;
  if (!look.ended.empty()) {
    take_note(thread, look.ended.front(), look.order_is_known ? Evidence::observed : Evidence::inferred);
    thread.wait.reset();
    return Outcome::let_go;
  }
  child_waits_.add(thread.execution->pid(), thread);
  if (!holds || !look.all_known || look.traced || free_slots_.empty()) {
    count_cpu_of_children(*thread.process);
    return Outcome::let_go;
  }
  ChildWait& held = *thread.wait;
  held.held = true;
  held.slot = free_slots_.back();
  held.look_pause_ns = kFirstLookNs;
  held.look_at_ns = held.call.now_ns + kFirstLookNs;
  free_slots_.pop_back();
  slots_[held.slot] = notification;
  ++summary_.held_calls;
  return Outcome::held;
}

// When in doubt, no: a call that goes on at once harms no program.
bool Supervisor::may_hold_wait(TrackedThread& thread, const WaitRequest& request,
                               const ThreadFiles::ChildHandling& handling) {
  Kinship& kinship = thread.process->kinship;
  kinship.handling_is_known = true;
  const bool interrupts = handling.caught && !handling.blocked;
  // Where CPU time can be counted, a hold is not worth an interrupted call.
  kinship.keeps_no_ends =
      handling.ignored || (interrupts && (counters_allowed_ || !waits_again(thread.process->program)));
  // That a child was stopped is announced by the signal only.
  const bool hears_of_stops = !request.stops || interrupts;
  return request.blocks && request.is_usual && hears_of_stops && !kinship.traces && !kinship.keeps_no_ends;
}

// `surely`: the call may be held, so that nothing may be missed that would let it return: /proc is asked, and not only
// what was announced.
Supervisor::WaitLook Supervisor::look_at_children(TrackedThread& thread, const WaitRequest& request,
                                                  std::uint32_t own_group, bool surely) {
  WaitLook look;
  const std::uint32_t pid = thread.execution->pid();
  std::vector<std::uint32_t> candidates = thread.process->kinship.children;
  if (request.which == WaitRequest::Which::process) {
    candidates = {request.id};
  } else if (surely) {
    const auto children = read_children(pid, thread.execution->tid(), kThreadsMax);
    look.all_known = children.has_value();
    if (children) candidates = *children;
  }
  const bool polled = candidates.size() <= kChildrenPolled;
  for (const std::uint32_t candidate : candidates) {
    const auto first = threads_.find(candidate);
    const bool runs = first != threads_.end() && !(polled && has_ended(first->second->thread_fd.get()));
    if (runs && look.some_run && request.which == WaitRequest::Which::any) continue;
    const auto child = read_child(candidate);
    if (!child || child->parent_pid != pid) {
      child_waits_.gone(candidate);
      std::erase(thread.process->kinship.children, candidate);
      continue;
    }
    if (!request.asks_for(*child, own_group)) continue;
    look.traced |= child->is_stopped_by_tracer();
    if (child->has_ended()) {
      process_has_ended(candidate, child->exit_code);
      look.ended.push_back(candidate);
    } else {
      look.some_run = true;
      look.all_known = look.all_known && processes_.contains(candidate);
    }
  }
  look.order_is_known = look.ended.size() == 1 || thread.process->kinship.threads.size() == 1;
  return look;
}

// The end of this child is what thread.wait returns for.
void Supervisor::take_note(TrackedThread& thread, std::uint32_t child_pid, Evidence evidence) {
  EndedChild* child = child_waits_.find(child_pid);
  if (child == nullptr) return;
  const ChildWait& wait = *thread.wait;
  Call call = wait.call;
  call.time = local_time();
  call.now_ns = call.time.ns - clock_offset_ns_;
  if (!child->reported)
    meter_.waited(call, child->process, WaitKind::process_end, call.now_ns - wait.since_ns, evidence);
  child->reported = true;
  if (wait.request.leaves_child) return;
  child_waits_.gone(child_pid);
  std::erase(thread.process->kinship.children, child_pid);
}

void Supervisor::end_wait(TrackedThread& thread) {
  child_waits_.remove(thread.execution->pid(), thread);
  if (thread.wait->held) {
    slots_[thread.wait->slot] = {};
    free_slots_.push_back(thread.wait->slot);
  }
  thread.wait.reset();
}

// The thread makes another call: the one that waited is over, returned or taken away by a signal. It may have returned
// because of a child whose end is announced a moment later. False if the thread itself has ended meanwhile.
bool Supervisor::is_past_wait(std::uint32_t tid) {
  constexpr int kLooks = 4, kLookMs = 1;
  for (int look = 0;; ++look) {
    const auto found = threads_.find(tid);
    if (found == threads_.end()) return false;
    TrackedThread& thread = *found->second;
    if (!thread.wait) return true;
    if (thread.wait->held || look == kLooks || !may_be_announced_yet(thread.process->kinship)) {
      thread.interrupted_wait = thread.wait;
      end_wait(thread);
      return true;
    }
    pollfd item{connector_->fd(), POLLIN, 0};
    ::poll(&item, 1, kLookMs);
    drain_announcements();
  }
}

bool Supervisor::may_be_announced_yet(const Kinship& kinship) const {
  return connector_ && std::any_of(kinship.children.begin(), kinship.children.end(), [this](std::uint32_t child) {
           const auto first = threads_.find(child);
           return first != threads_.end() && has_ended(first->second->thread_fd.get());
         });
}

// Calls whose process has lost a child since.
void Supervisor::settle_waits() {
  for (const std::uint32_t parent : child_waits_.take_looks()) {
    for (TrackedThread* thread : child_waits_.of(parent))
      if (thread->wait && thread->wait->held) settle_wait(*thread);
  }
}

void Supervisor::settle_wait(TrackedThread& thread) {
  const std::uint64_t id = thread.wait->notification.id;
  if (!listener_.waits(id)) {
    thread.interrupted_wait = thread.wait;
    return end_wait(thread);
  }
  const WaitLook look = look_at_children(thread, thread.wait->request, thread.wait->own_group, true);
  if (look.ended.empty() && look.some_run && look.all_known && !look.traced) return;
  thread.process->kinship.traces |= look.traced;
  if (!look.ended.empty())
    take_note(thread, look.ended.front(), look.order_is_known ? Evidence::observed : Evidence::inferred);
  end_wait(thread);
  listener_.let_go(id);
}

// A call that was let go returns because this child of its process has ended.
void Supervisor::infer_wait(std::uint32_t parent_pid, const ChildState& child) {
  for (TrackedThread* thread : child_waits_.of(parent_pid)) {
    const ChildWait& wait = *thread->wait;
    if (wait.held || !wait.request.asks_for(child, wait.own_group)) continue;
    take_note(*thread, child.pid, Evidence::inferred);
    return end_wait(*thread);
  }
}

// Signals end a hold without notice, announcements can be lost, and children stop for their tracers: what would let a
// held call return is looked for again now and then.
void Supervisor::check_waits(std::int64_t now_ns) {
  for (TrackedThread* thread : child_waits_.all()) {
    if (!thread->wait || !thread->wait->held || thread->wait->look_at_ns > now_ns) continue;
    ChildWait& wait = *thread->wait;
    wait.look_pause_ns = std::min(2 * wait.look_pause_ns, kLooksApartMaxNs);
    wait.look_at_ns = now_ns + wait.look_pause_ns;
    settle_wait(*thread);
  }
}

}  // namespace dpm
