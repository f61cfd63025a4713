#include "backends/linux/supervisor/child_wait_calls.hpp"

#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <span>
#include <string_view>
#include <utility>

namespace dpm {
namespace {

constexpr std::size_t kThreadsMax = 16;       // of a process whose children are looked up thread by thread
constexpr std::size_t kChildrenPolled = 64;   // with more, only announcements tell that one has ended
constexpr std::size_t kChildrenLookedAt = 8;  // for a call that does not wait: whether one is ending
constexpr std::int64_t kFirstLookNs = 5'000'000;
constexpr std::int64_t kLooksApartMaxNs = 300'000'000;
constexpr std::int64_t kLooksApartUntoldNs = 20'000'000;  // where nothing is announced

// These programs catch SIGCHLD, and repeat a wait that it has interrupted, or let the kernel restart it: known from
// their sources, and tested (tests/live/conformance/check_waits.py).
constexpr std::array<std::string_view, 5> kWaitAgain = {"/usr/bin/dash", "/bin/dash", "/usr/bin/bash", "/bin/bash",
                                                        "/usr/bin/make"};

bool waits_again(std::string_view program) {
  return std::find(kWaitAgain.begin(), kWaitAgain.end(), program) != kWaitAgain.end();
}

}  // namespace

CallOutcome ChildWaitCalls::wait_for_child(const Notification& notification, const MeteredCall& shape,
                                           TrackedThread& thread) {
  tracker_.find_children(thread.metered->pid());
  const WaitRequest request = request_of(notification, thread);
  if (!request.ends || thread.process->kinship.children.empty()) return CallOutcome::let_go;
  ThreadFiles::ChildHandling handling;
  if (!thread.files->child_handling(handling)) return CallOutcome::let_go;
  const bool holds = may_hold(thread, request, handling);
  const Look look = look_at_children(thread, request, handling.group, holds && request.blocks);
  settle();  // of other threads, if an end was found that had not been announced yet
  // A child that ends between this look and the kernel's is gone before its clock can be read.
  if (!request.blocks && look.some_run) tracker_.cpu_times().count_children(*thread.process);
  if (look.ended.empty() && !look.some_run) return CallOutcome::let_go;
  thread.wait = wait_of(notification, shape, thread);
  thread.wait->request = request;
  thread.wait->own_group = handling.group;
  if (!look.ended.empty() && (look.is_certain() || request.leaves_child)) {
    take_note(thread, look.ended.front(), Evidence::observed);
    thread.wait.reset();
    return CallOutcome::let_go;
  }
  if (!request.blocks || !shared_.news.tells_of_processes()) thread.wait->faults_before = reaped_faults(thread);
  child_waits_.add(thread.metered->pid(), thread);
  const bool has_to_wait = request.blocks || look.some_end;
  if (look.ended.empty() && holds && has_to_wait && look.all_known && !look.traced && hold(thread))
    return CallOutcome::held;
  if (!look.ended.empty()) thread.wait->likely_child = look.ended.front();
  tracker_.cpu_times().count_children(*thread.process);
  return CallOutcome::let_go;
}

WaitRequest ChildWaitCalls::request_of(const Notification& notification, TrackedThread& thread) {
  WaitRequest request = wait_request(notification);
  if (request.which == WaitRequest::Which::process) request.id = our_number(thread, request.id, InnerNumbers::process);
  if (request.which == WaitRequest::Which::group) request.id = our_number(thread, request.id, InnerNumbers::group);
  if (request.which != WaitRequest::Which::descriptor) return request;
  const UniqueFd fd = shared_.files.borrow(thread.thread_fd.get(), static_cast<int>(request.id));
  request.which = WaitRequest::Which::process;
  request.id = fd ? shared_.kernel.process_of(fd.get()) : 0;
  request.blocks &= fd && !shared_.files.is_non_blocking(fd.get());  // as PIDFD_NONBLOCK makes it
  return request;
}

// The number that a child, or the group of one, has here: the program may be in a process namespace of its own.
std::uint32_t ChildWaitCalls::our_number(TrackedThread& thread, std::uint32_t number, InnerNumbers which) {
  const std::uint32_t pid = thread.metered->pid();
  std::size_t& depth = thread.process->number_depth;
  if (depth == 0) depth = shared_.kernel.read_inner_numbers(pid, InnerNumbers::process).size();
  if (depth <= 1) return number;
  const auto children = shared_.kernel.read_children(pid, thread.metered->tid(), kThreadsMax);
  for (const std::uint32_t child : children.value_or(thread.process->kinship.children)) {
    const auto numbers = shared_.kernel.read_inner_numbers(child, which);
    if (numbers.size() >= depth && numbers[depth - 1] == number) return numbers.front();
  }
  return 0;
}

ChildWait ChildWaitCalls::wait_of(const Notification& notification, const MeteredCall& shape, TrackedThread& thread) {
  ChildWait wait;
  wait.notification = notification;
  wait.call = inspector_.describe_call(notification, shape, thread);
  wait.since_ns = wait.call.now_ns;
  const auto before = std::exchange(thread.interrupted_wait, std::nullopt);
  if (before && before->notification.pc == notification.pc && before->notification.arguments == notification.arguments)
    wait.since_ns = before->since_ns;
  return wait;
}

bool ChildWaitCalls::hold(TrackedThread& thread) {
  ChildWait& wait = *thread.wait;
  const auto slot = slots_.keep(wait.notification);
  if (!slot) return false;
  wait.held = true;
  wait.slot = *slot;
  wait.look_pause_ns = kFirstLookNs;
  wait.look_at_ns = wait.call.now_ns + kFirstLookNs;
  ++shared_.summary.held_calls;
  return true;
}

// When in doubt, false: a call that goes on at once harms no program.
bool ChildWaitCalls::may_hold(TrackedThread& thread, const WaitRequest& request,
                              const ThreadFiles::ChildHandling& handling) {
  Kinship& kinship = thread.process->kinship;
  kinship.handling_is_known = true;
  const bool interrupts = handling.caught && !handling.blocked;
  // Of a child that is dead and not gone the clock is exact. A counter is not: since Linux 6.16 it ends before the
  // kernel takes down the memory of the process.
  kinship.keeps_no_ends = handling.ignored || (interrupts && !waits_again(thread.process->program));
  // Only the signal announces that a child was stopped.
  const bool hears_of_stops = !request.stops || interrupts;
  const bool may_be_interrupted = !request.blocks && interrupts;
  return request.is_usual && hears_of_stops && !may_be_interrupted && !kinship.traces && !kinship.keeps_no_ends;
}

// `surely`: the call may be held, so nothing that would let it return may be missed: /proc is read in addition to the
// announcements.
ChildWaitCalls::Look ChildWaitCalls::look_at_children(TrackedThread& thread, const WaitRequest& request,
                                                      std::uint32_t own_group, bool surely) {
  Look look;
  std::vector<std::uint32_t> candidates = thread.process->kinship.children;
  if (request.which == WaitRequest::Which::process) {
    candidates = {request.id};
  } else if (surely) {
    const auto children = shared_.kernel.read_children(thread.metered->pid(), thread.metered->tid(), kThreadsMax);
    look.all_known = children.has_value();
    if (children) candidates = *children;
  }
  const bool polled = candidates.size() <= kChildrenPolled;
  for (const std::uint32_t candidate : candidates) {
    const TrackedThread* first = shared_.table.thread(candidate);
    const bool runs = first != nullptr && !(polled && shared_.kernel.has_ended(first->thread_fd.get()));
    const bool tells_no_more = request.blocks ? look.some_run : look.looked_at >= kChildrenLookedAt;
    if (runs && tells_no_more && request.which == WaitRequest::Which::any) continue;
    look_at_child(thread, request, own_group, candidate, look);
  }
  look.order_is_known = look.ended.size() == 1 || thread.process->kinship.threads.size() == 1;
  return look;
}

void ChildWaitCalls::look_at_child(TrackedThread& thread, const WaitRequest& request, std::uint32_t own_group,
                                   std::uint32_t candidate, Look& look) {
  const auto child = shared_.kernel.read_child(candidate);
  if (!child || child->parent_pid != thread.metered->pid()) {
    child_waits_.gone(candidate);
    std::erase(thread.process->kinship.children, candidate);
    return;
  }
  ++look.looked_at;
  if (!request.asks_for(*child, own_group)) return;
  look.traced |= child->is_stopped_by_tracer();
  if (child->has_ended()) {
    tracker_.process_has_ended(candidate, child->exit_code);
    look.ended.push_back(candidate);
  } else {
    look.some_run = true;
    look.some_end |= child->is_ending();
    look.runs_before |= look.ended.empty();
    look.all_known = look.all_known && shared_.table.process(candidate) != nullptr;
  }
}

// thread.wait returns because this child has ended.
void ChildWaitCalls::take_note(TrackedThread& thread, std::uint32_t child_pid, Evidence evidence) {
  EndedChild* child = child_waits_.find(child_pid);
  if (child == nullptr) return;
  const ChildWait& wait = *thread.wait;
  Call call = wait.call;
  call.time = std::max(call.time, child->ended_at);
  call.now_ns = shared_.clock.steady_ns(call.time);
  if (!child->reported)
    shared_.meter.processes().waited(call, child->process, WaitKind::process_end, call.now_ns - wait.since_ns,
                                     evidence);
  child->reported = true;
  if (wait.request.leaves_child) return;
  child_waits_.gone(child_pid);
  std::erase(thread.process->kinship.children, child_pid);
}

void ChildWaitCalls::end(TrackedThread& thread) {
  child_waits_.remove(thread.metered->pid(), thread);
  if (thread.wait->held) slots_.clear(thread.wait->slot);
  thread.wait.reset();
}

bool ChildWaitCalls::go_on(TrackedThread& thread) {
  const std::uint64_t id = thread.wait->notification.id;
  end(thread);
  return shared_.answers.let_go(id);
}

bool ChildWaitCalls::is_past_wait(std::uint32_t tid) {
  constexpr int kLooks = 4, kLookMs = 1;
  for (int look = 0;; ++look) {
    TrackedThread* thread = shared_.table.thread(tid);
    if (thread == nullptr) return false;
    if (!thread->wait || take_reaped(*thread)) return true;
    const bool announced = thread->wait->held || !may_be_announced_yet(thread->process->kinship);
    if (!announced && look < kLooks && shared_.news.tells_of_processes()) {
      shared_.news.await(kLookMs);
      tracker_.read_news();
      continue;
    }
    if (!announced) end_reaped(*thread);
    if (thread->wait) {
      if (thread->wait->request.blocks) thread->interrupted_wait = thread->wait;
      note_unseen_child(*thread);
      end(*thread);
    }
    return true;
  }
}

// Records the wait that took a child: one whose end is known, and which is gone now.
bool ChildWaitCalls::take_reaped(TrackedThread& thread) {
  if (thread.wait->held || thread.wait->request.leaves_child) return false;
  for (const std::uint32_t pid : thread.process->kinship.children) {
    const EndedChild* child = child_waits_.find(pid);
    if (child == nullptr || child->reported || !thread.wait->request.asks_for(child->state, thread.wait->own_group))
      continue;
    if (!is_gone(pid, thread.metered->pid())) continue;
    if (!takes_if_there(*thread.wait) && taker_of(thread.metered->pid(), child->state) != &thread) continue;
    take_note(thread, pid, Evidence::inferred);
    end(thread);
    return true;
  }
  return false;
}

bool ChildWaitCalls::is_gone(std::uint32_t child_pid, std::uint32_t parent_pid) {
  const auto child = shared_.kernel.read_child(child_pid);
  return !child || child->parent_pid != parent_pid;
}

// The kernel announces an end after the parent may have reaped the child. On a busy machine that can be much later: the
// ending child waits for a CPU between the two. The end is certain before.
void ChildWaitCalls::end_reaped(TrackedThread& thread) {
  const std::vector<std::uint32_t> children = thread.process->kinship.children;
  for (const std::uint32_t pid : children) {
    const TrackedThread* first = shared_.table.thread(pid);
    const bool ended = first != nullptr && shared_.kernel.has_ended(first->thread_fd.get());
    if (!thread.wait || !ended || !is_gone(pid, thread.metered->pid())) continue;
    tracker_.process_has_ended(
        pid, shared_.kernel.exit_code_of(first->thread_fd.get()).value_or(status_taken(*thread.wait)));
  }
}

// What the call has told its program, as wait4() reports it, if the program has not written there since.
std::uint32_t ChildWaitCalls::status_taken(const ChildWait& wait) {
  const Notification& notification = wait.notification;
  if (notification.call == SYS_wait4) {
    std::uint32_t status = 0;
    shared_.kernel.read_memory(notification.tid, notification.arguments[1],
                               std::as_writable_bytes(std::span(&status, 1)));
    return status;
  }
  siginfo_t told = {};
  shared_.kernel.read_memory(notification.tid, notification.arguments[2], std::as_writable_bytes(std::span(&told, 1)));
  const auto status = static_cast<std::uint32_t>(told.si_status);
  return told.si_code == CLD_EXITED ? (status & 0xff) << 8 : status & 0x7f;
}

void ChildWaitCalls::thread_ends(TrackedThread& thread) {
  if (thread.wait->held) return;
  const std::uint32_t child = takes_if_there(*thread.wait) || has_taken(thread) ? likely_child(thread) : 0;
  if (child != 0) take_note(thread, child, Evidence::inferred);
  end(thread);
}

// The one that had ended when the call went on, or that ended first while it waited; 0 if there is none.
std::uint32_t ChildWaitCalls::likely_child(const TrackedThread& thread) {
  const ChildWait& wait = *thread.wait;
  if (wait.likely_child != 0) return wait.likely_child;
  const EndedChild* first = nullptr;
  for (const std::uint32_t pid : thread.process->kinship.children) {
    const EndedChild* child = child_waits_.find(pid);
    if (child == nullptr || child->reported || !wait.request.asks_for(child->state, wait.own_group)) continue;
    if (first == nullptr || child->ended_at < first->ended_at) first = child;
  }
  return first == nullptr ? 0 : first->state.pid;
}

bool ChildWaitCalls::may_be_announced_yet(const Kinship& kinship) const {
  return std::any_of(kinship.children.begin(), kinship.children.end(), [this](std::uint32_t child) {
    const TrackedThread* first = shared_.table.thread(child);
    return first != nullptr && shared_.kernel.has_ended(first->thread_fd.get());
  });
}

void ChildWaitCalls::settle() {
  for (const std::uint32_t parent : child_waits_.take_looks()) {
    for (TrackedThread* thread : child_waits_.of(parent))
      if (thread->wait && thread->wait->held) settle_wait(*thread);
  }
}

void ChildWaitCalls::settle_wait(TrackedThread& thread) {
  if (!shared_.answers.waits(thread.wait->notification.id)) {
    thread.interrupted_wait = thread.wait;
    return end(thread);
  }
  tracker_.find_children(thread.metered->pid());
  const Look look = look_at_children(thread, thread.wait->request, thread.wait->own_group, true);
  if (look.ended.empty() && look.some_run && look.all_known && !look.traced) return;
  thread.process->kinship.traces |= look.traced;
  if (!look.ended.empty() && !look.is_certain() && !thread.wait->request.leaves_child)
    return go_on_to_take(thread, look);
  if (!look.ended.empty()) take_note(thread, look.ended.front(), Evidence::observed);
  go_on(thread);
}

// A call that does not wait has returned before most children end that are gone later.
bool ChildWaitCalls::takes_if_there(const ChildWait& wait) { return wait.request.blocks || wait.likely_child != 0; }

// Whether its process has taken note of a child's end since the call was made.
bool ChildWaitCalls::has_taken(const TrackedThread& thread) {
  return reaped_faults(thread) > thread.wait->faults_before;
}

std::uint64_t ChildWaitCalls::reaped_faults(const TrackedThread& thread) {
  const auto state = shared_.kernel.read_child(thread.metered->pid());
  return state ? state->reaped_faults : 0;
}

void ChildWaitCalls::note_unseen_child(const TrackedThread& thread) {
  const bool alone = thread.process->kinship.threads.size() == 1;
  if (!shared_.news.tells_of_processes() && alone && !thread.wait->held && has_taken(thread))
    tracker_.has_unseen_child(thread);
}

// Which child the call takes shows when one is gone.
void ChildWaitCalls::go_on_to_take(TrackedThread& thread, const Look& look) {
  thread.wait->likely_child = look.ended.front();
  let_kernel_decide(thread);
}

void ChildWaitCalls::let_kernel_decide(TrackedThread& thread) {
  ChildWait& wait = *thread.wait;
  wait.held = false;
  slots_.clear(wait.slot);
  tracker_.cpu_times().count_children(*thread.process);
  shared_.answers.let_go(wait.notification.id);
}

void ChildWaitCalls::infer(std::uint32_t parent_pid, const ChildState& child) {
  TrackedThread* thread = taker_of(parent_pid, child);
  if (thread == nullptr) return;
  take_note(*thread, child.pid, Evidence::inferred);
  end(*thread);
}

// The thread of the process whose call has taken this child, which is gone: one that waits for it, before one that only
// looked.
TrackedThread* ChildWaitCalls::taker_of(std::uint32_t parent_pid, const ChildState& child) {
  TrackedThread* looked = nullptr;
  for (TrackedThread* thread : child_waits_.of(parent_pid)) {
    const ChildWait& wait = *thread->wait;
    if (wait.held || !wait.request.asks_for(child, wait.own_group)) continue;
    if (takes_if_there(wait)) return thread;
    if (looked == nullptr && has_taken(*thread)) looked = thread;
  }
  return looked;
}

void ChildWaitCalls::check(std::int64_t now_ns) {
  for (TrackedThread* thread : child_waits_.all()) {
    if (!thread->wait) continue;
    if (!thread->wait->held) {
      take_reaped(*thread);
      continue;
    }
    if (thread->wait->look_at_ns > now_ns) continue;
    ChildWait& wait = *thread->wait;
    const bool tells = shared_.news.tells_of_processes();
    wait.look_pause_ns = std::min(2 * wait.look_pause_ns, tells ? kLooksApartMaxNs : kLooksApartUntoldNs);
    wait.look_at_ns = now_ns + wait.look_pause_ns;
    settle_wait(*thread);
    // The child ends too slowly for a call that does not wait.
    if (thread->wait && thread->wait->held && !thread->wait->request.blocks) let_kernel_decide(*thread);
  }
}

}  // namespace dpm
