#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "backends/linux/capture/kernel/open_files.hpp"
#include "backends/linux/capture/supervisor/supervisor.hpp"
#include "os/process_handle.hpp"

namespace dpm {
namespace {

// "redis-server" of "/usr/bin/redis-server"; what the thread calls itself otherwise.
std::string file_name(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string name_for_people(std::uint32_t pid) {
  const std::string name = read_command_name(pid, pid);
  return (name.empty() ? "process" : name) + " (" + std::to_string(pid) + ")";
}

std::string first_word(const std::string& command) { return command.substr(0, command.find(' ')); }

std::uint32_t exit_status(std::uint32_t wait_status) {
  const int status = static_cast<int>(wait_status);
  return static_cast<std::uint32_t>(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

// A process that lives for milliseconds is over before it is surveyed, so it is looked at on the way of some of its
// first calls.
bool is_young_and_due(std::uint64_t calls) { return calls == 4 || calls == 16 || calls == 64 || calls == 256; }

}  // namespace

TrackedThread* Supervisor::tracked(std::uint32_t tid) {
  const auto known = threads_.find(tid);
  if (known != threads_.end()) return known->second.get();
  drain_announcements();  // its birth is announced before its first call waits
  const auto announced = threads_.find(tid);
  if (announced != threads_.end()) return announced->second.get();
  const auto status = read_status(tid);
  if (!status) return nullptr;
  const auto parent = threads_.find(status->pid == tid ? status->parent_pid : status->pid);
  // Who of the parent process forked, and when, is not told: by now they may be in another call.
  const Creator creator{parent == threads_.end() ? nullptr : parent->second->execution};
  return &meet(tid, status->pid, creator, local_time());
}

TrackedThread& Supervisor::meet(std::uint32_t tid, std::uint32_t pid, Creator creator, LocalTime time) {
  Meter::Birth birth;
  birth.pid = pid;
  birth.tid = tid;
  birth.program = read_program_path(pid);
  birth.name = read_command_name(pid, tid);
  // It waits before its first instruction: it is still called as we are, and what it has used is ours.
  if (tid == program_.pid && program_.from_start) {
    birth.name = file_name(first_word(program_.command));
    process_cpu_time_ns(pid, birth.cpu_before_ns);
  }
  if (birth.name.empty()) birth.name = birth.program.empty() ? "process" : file_name(birth.program);
  birth.began_ns = read_beginning_ns(pid, tid);
  birth.acquired = creator.execution == nullptr && !program_.from_start;
  birth.by_creator_itself = creator.itself;
  birth.flags = options_.flags;
  auto thread = std::make_unique<TrackedThread>();
  thread->execution = &meter_.begin(birth, creator.execution, time, time.ns - clock_offset_ns_);
  thread->thread_fd = open_thread(tid, pid);
  watch_end(*thread);
  thread->files = ThreadFiles(pid, tid);
  auto& process = processes_[pid];
  // A second process of the number (an exec by another thread than the first) is not the first one's.
  if (process == nullptr || (tid == pid && process->kinship.first_has_ended))
    process = std::make_shared<TrackedProcess>();
  process->several_threads |= pid != tid;
  if (process->program.empty()) process->program = birth.program;
  thread->process = process;
  thread->cpu_read_at = time;
  auto& place = threads_[tid];
  if (place != nullptr) forget(*place);
  place = std::move(thread);
  join_kin(*place, creator.execution == nullptr ? 0 : creator.execution->pid());
  return *place;
}

void Supervisor::join_kin(TrackedThread& thread, std::uint32_t creator_pid) {
  const std::uint32_t pid = thread.execution->pid();
  Kinship& kinship = thread.process->kinship;
  kinship.threads.push_back(&thread);
  if (kinship.first.is_none()) kinship.first = thread.execution->id();
  if (pid != thread.execution->tid() || creator_pid == 0) return;
  kinship.parent_pid = creator_pid;
  child_waits_.gone(pid);  // of an earlier process of that number
  const auto parent = processes_.find(creator_pid);
  if (parent == processes_.end()) return;
  Kinship& parents = parent->second->kinship;
  std::erase(parents.children, pid);
  parents.children.push_back(pid);
  if (const auto creator = threads_.find(creator_pid); creator != threads_.end() && !parents.handling_is_known) {
    ThreadFiles::ChildHandling handling;
    parents.handling_is_known = creator->second->files.child_handling(handling);
    parents.keeps_no_ends = handling.ignored || handling.caught;
  }
  if (parents.keeps_no_ends) count_cpu(thread);
}

// Nothing may point to it any more.
void Supervisor::forget(TrackedThread& thread) {
  if (thread.hold) end_hold(thread);
  if (thread.wait) end_wait(thread);
  end_turn(thread);
  several_.forget(thread.execution->tid());
  std::erase(thread.process->kinship.threads, &thread);
}

void Supervisor::drain_announcements() {
  if (!connector_) return;
  std::vector<ProcessChange> changes;
  if (!connector_->drain([&changes](const ProcessChange& change) { changes.push_back(change); })) ++announcements_lost_;
  for (std::size_t i = 0; i < changes.size(); ++i) announced(changes[i], std::span(changes).subspan(i + 1));
  settle_waits();
}

// They are asked for now and then, not waited for: a watch would wake us for each.
void Supervisor::drain_closed_sockets() {
  if (!closed_sockets_) return;
  const LocalTime now = local_time();
  closed_sockets_->drain([&](const ClosedSocket& closed) {
    several_.closed(closed.cookie, now, now.ns - clock_offset_ns_);
    meter_.closed(closed, now, now.ns - clock_offset_ns_);
  });
}

void Supervisor::announced(const ProcessChange& change, std::span<const ProcessChange> later) {
  const LocalTime time{static_cast<std::int64_t>(change.boot_time_ns) + clock_offset_ns_};
  if (change.kind == ProcessChange::Kind::fork) return forked(change, time);
  const auto found = threads_.find(change.tid);
  if (found == threads_.end()) return;
  if (change.kind == ProcessChange::Kind::exec) return executed(*found->second, time);
  const bool number_goes_on = std::any_of(later.begin(), later.end(), [&change](const ProcessChange& next) {
    return next.kind == ProcessChange::Kind::exec && next.tid == change.tid;
  });
  ended(*found->second, exit_status(change.exit_code), time, number_goes_on);
}

void Supervisor::forked(const ProcessChange& change, LocalTime time) {
  // The parent the kernel names is the child's new parent: for a thread its creator's own, so the creator is the
  // process it belongs to.
  const bool is_process = change.pid == change.tid;
  const auto parent = threads_.find(is_process ? change.parent_tid : change.pid);
  if (parent == threads_.end() || threads_.contains(change.tid)) return;
  read_cpu_time(*parent->second);
  const bool itself = is_process || !parent->second->process->several_threads;
  meet(change.tid, change.pid, {parent->second->execution, itself}, time);
}

void Supervisor::executed(TrackedThread& thread, LocalTime time) {
  const std::uint32_t pid = thread.execution->pid(), tid = thread.execution->tid();
  const std::string path = read_program_path(pid);
  std::string name = read_command_name(pid, tid);
  if (name.empty()) name = path.empty() ? "process" : file_name(path);  // it has ended already
  Kinship kinship = std::move(thread.process->kinship);
  kinship.keeps_no_ends = kinship.handling_is_known = kinship.traces = false;
  *thread.process = {.kinship = std::move(kinship), .program = path};  // other code, one thread
  thread.last_code = {};
  if (callers_) callers_->forget(pid);
  several_.forget(tid);
  meter_.executed(*thread.execution, name, path, time, time.ns - clock_offset_ns_);
  thread.thread_fd = open_thread(tid, pid);
  watch_end(thread);
  thread.files = ThreadFiles(pid, tid);
  // It may end before it is surveyed, and what it does leaves no trace.
  const ProgramKind kind = program_kind(pid);
  if (kind == ProgramKind::not_native) bypasses_.add(name_for_people(pid), {.native = false});
  if (kind != ProgramKind::unknown) return;
  thread.process->unseen = name_for_people(pid);
  thread.process->unseen_since = time;
}

// `number_goes_on`: it was ended by the exec of another thread, which has its number by now.
void Supervisor::ended(TrackedThread& thread, std::uint32_t exit_code, LocalTime time, bool number_goes_on) {
  const std::uint32_t pid = thread.execution->pid(), tid = thread.execution->tid();
  if (thread.hold) end_hold(thread);
  end_turn(thread);
  if (thread.execution->counted.flow != nullptr && !number_goes_on) read_last_counters(thread);
  if (tid == pid) drain_closed_sockets();
  read_last_cpu_time(thread, time);
  meter_.ended(*thread.execution, exit_code, time, time.ns - clock_offset_ns_);
  const std::shared_ptr<TrackedProcess> kept = thread.process;
  TrackedProcess& process = *kept;
  if (tid == pid && !process.unseen.empty() && !thread.execution->was_seen_after(process.unseen_since))
    bypasses_.add_unseen(process.unseen);
  forget(thread);
  threads_.erase(tid);
  if (tid == pid) process.kinship.first_has_ended = true;
  if (tid == pid && callers_) callers_->forget(pid);
  if (!process.kinship.threads.empty()) return;
  processes_.erase(pid);
  process_is_gone(pid, process.kinship);
}

// All its threads have ended. Its parent may wait for that, and its children get another parent.
void Supervisor::process_is_gone(std::uint32_t pid, const Kinship& kinship) {
  unknown_ends_ += kinship.cpu_is_unknown ? 1 : 0;
  unknown_cpu_ns_ += kinship.unknown_ns;
  for (const std::uint32_t child : kinship.children) adopt(child);
  std::optional<ChildState> state = read_child(pid);
  const bool is_dead = state && state->has_ended();
  const std::uint32_t parent_pid = is_dead ? state->parent_pid : kinship.parent_pid;
  const auto parent = processes_.find(parent_pid);
  if (parent == processes_.end()) return;
  parent->second->kinship.reaped_cpu_ns += kinship.ended_cpu_ns + kinship.reaped_cpu_ns;
  child_waits_.ended(pid, {.process = kinship.first, .parent_pid = parent_pid});
  if (!is_dead) state = ChildState{.pid = pid, .parent_pid = parent_pid, .exit_signal = SIGCHLD};
  infer_wait(parent_pid, *state);
  child_waits_.look_at(parent_pid);
  if (is_dead) return;
  child_waits_.gone(pid);
  std::erase(parent->second->kinship.children, pid);
}

// A child whose parent has ended. Of one that is dead the new parent will not be held long enough.
void Supervisor::adopt(std::uint32_t child_pid) {
  child_waits_.gone(child_pid);
  const auto first = threads_.find(child_pid);
  if (first == threads_.end()) return;
  count_cpu(*first->second);
  const auto child = read_child(child_pid);
  const auto parent = processes_.find(child ? child->parent_pid : 0);
  first->second->process->kinship.parent_pid = child ? child->parent_pid : 0;
  if (parent != processes_.end()) parent->second->kinship.children.push_back(child_pid);
}

// The kernel was quicker than its announcement.
void Supervisor::process_has_ended(std::uint32_t pid, std::uint32_t exit_code) {
  const auto found = processes_.find(pid);
  if (found == processes_.end()) return;
  const std::vector<TrackedThread*> threads = found->second->kinship.threads;
  for (TrackedThread* thread : threads) ended(*thread, exit_status(exit_code), local_time(), false);
}

// Where the kernel announces nothing, ends and new programs are found by looking; how a process ended stays unknown.
void Supervisor::look_around() {
  if (connector_) return;
  const LocalTime now = local_time();
  std::vector<TrackedThread*> gone;
  for (const auto& [tid, thread] : threads_)
    if (has_ended(thread->thread_fd.get())) gone.push_back(thread.get());
  for (TrackedThread* thread : gone) ended(*thread, 0, now, false);
  for (const auto& [pid, process] : processes_) {
    const auto first = threads_.find(pid);
    const std::string path = read_program_path(pid);
    if (first == threads_.end() || path.empty() || path == process->program) continue;
    executed(*first->second, now);
    return;  // the table has changed; the next look finds the others
  }
}

void Supervisor::read_counters(TrackedThread& thread) {
  ThreadFiles::Transferred transferred;
  if (!thread.files.transferred(transferred)) return;
  meter_.io_counters(*thread.execution, transferred);
  thread.counters_read = true;
}

// Of a thread that has ended. An exec that is under way in another thread passes the number of the first on, and with
// it the files of /proc that bear it: what was read is the first's only if its number is not that of somebody who
// lives.
void Supervisor::read_last_counters(TrackedThread& thread) {
  Execution& execution = *thread.execution;
  ThreadFiles::Transferred transferred;
  if (!thread.files.transferred(transferred)) return;
  const bool may_pass_on = execution.tid() == execution.pid() && thread.process->several_threads;
  if (may_pass_on && !is_ending(execution.pid(), execution.tid()).value_or(true)) return;
  meter_.io_counters(execution, transferred);
}

std::vector<std::uint32_t> Supervisor::due_for_survey(std::int64_t now_ns) {
  constexpr std::int64_t kPauseMaxNs = 2'000'000'000;
  constexpr std::size_t kAtOnce = 4;
  std::vector<std::uint32_t> due;
  for (auto& [pid, process] : processes_) {
    if (process->survey_at_ns == 0) process->survey_at_ns = now_ns + process->survey_pause_ns;
    if (process->survey_at_ns > now_ns || due.size() == kAtOnce) continue;
    process->survey_pause_ns = std::min(2 * process->survey_pause_ns, kPauseMaxNs);
    process->survey_at_ns = now_ns + process->survey_pause_ns;
    due.push_back(pid);
  }
  return due;
}

void Supervisor::look_for_ring(const Execution& execution) {
  if (!is_young_and_due(execution.notified_calls) || !has_low_ring(execution.pid())) return;
  bypasses_.add(name_for_people(execution.pid()), {.io_uring = true});
}

// Looks without the lock: calls go on meanwhile.
void Supervisor::survey(const std::vector<std::uint32_t>& pids) {
  for (const std::uint32_t pid : pids) {
    const OpenBypasses open = survey_bypasses(pid);
    const std::lock_guard lock(mutex_);
    bypasses_.add(name_for_people(pid), open);
  }
}

// One that was just woken in its call runs as well as one that has left it long ago, and so does one that waits for a
// CPU: who has used some CPU time each time we look is taken to compute.
bool Supervisor::may_be_in_call(TrackedThread& thread, std::int32_t descriptor) {
  constexpr int kLooks = 5;
  constexpr std::uint64_t kRunsForNs = 1'000'000;
  const CallState state = call_state(thread.execution->pid(), thread.execution->tid(), descriptor);
  if (state != CallState::running) {
    thread.seen_running = 0;
    return state == CallState::in_call;
  }
  std::uint64_t cpu_ns = 0;
  if (!thread.files.cpu_time_ns(cpu_ns)) return false;
  if (cpu_ns >= thread.cpu_seen_running_ns + kRunsForNs) {
    thread.cpu_seen_running_ns = cpu_ns;
    ++thread.seen_running;
  }
  return thread.seen_running < kLooks;
}

// Events whose length no later call has shown: the stream is looked at once more, or what was probable is taken.
void Supervisor::settle_old_events(std::int64_t now_ns) {
  constexpr std::int64_t kOldNs = 100'000'000;
  for (const auto& oldest : meter_.unfinished(now_ns - kOldNs)) {
    const Execution& execution = *oldest.operation.execution;
    // One after the other, as long as that gets on.
    for (auto unfinished = std::optional(oldest); unfinished;) {
      const std::uint64_t before = execution.first_waiting();
      settle_old_event(*unfinished);
      unfinished = meter_.first_unfinished(execution, now_ns - kOldNs);
      if (execution.first_waiting() == before) break;
    }
  }
  meter_.bury();
}

void Supervisor::settle_old_event(const Meter::Unfinished& unfinished) {
  Execution& execution = *unfinished.operation.execution;
  const auto found = threads_.find(execution.tid());
  if (found == threads_.end()) return meter_.accept(unfinished);
  TrackedThread& thread = *found->second;
  if (may_be_in_call(thread, unfinished.operation.descriptor)) return;
  execution.was_seen(local_time());
  if (execution.counted.flow == unfinished.end.flow) return read_counters(thread);
  Flow& flow = *unfinished.end.flow;
  const UniqueFd fd = borrow_descriptor(thread.thread_fd.get(), unfinished.operation.descriptor);
  const Socket* socket = fd ? meter_.conversations().find(identify(fd.get()).id) : nullptr;
  const bool ours = socket != nullptr && (unfinished.end.sending ? socket->out : socket->in) == &flow;
  if (!ours) return meter_.accept(unfinished);
  std::optional<std::uint64_t> offset;
  if (!flow.exact) {
    const auto received =
        unfinished.end.sending ? std::nullopt : received_by_sends(flow, fd.get(), bytes_waiting(fd.get()));
    if (received) offset = received->bytes;
  } else if (unfinished.end.sending) {
    if (const auto state = tcp_send_state(fd.get(), socket->description.syn_counted, flow.sent.expected()))
      offset = state->offset;
  } else if (const auto state = tcp_receive_state(fd.get(), flow.received.expected())) {
    offset = state->offset;
  }
  if (!offset) return meter_.accept(unfinished);
  meter_.settle_unfinished(unfinished, *offset);
}

// close() is not notified (Conversations, "Forgetting"). Looks without the lock: calls go on meanwhile.
void Supervisor::survey_open_files() {
  std::vector<std::uint32_t> pids;
  {
    const std::lock_guard lock(mutex_);
    if (!meter_.conversations().wants_survey()) return;
    drain_announcements();
    for (const auto& [pid, process] : processes_) pids.push_back(pid);
    meter_.conversations().begin_survey();
  }
  OpenFiles open;
  std::vector<std::uint32_t> not_seen;
  for (const std::uint32_t pid : pids)
    if (!add_open_files(pid, open)) not_seen.push_back(pid);
  const std::lock_guard lock(mutex_);
  meter_.end_survey(std::move(open), not_seen);
}

}  // namespace dpm
