// Forks, execs and ends where the kernel announces none: in process and user namespaces, in network namespaces, and for
// ordinary users before Linux 6.6. Each is found by a fact that does not go away before it is looked at:
//
//   a fork   the new process makes a call, or its parent waits for it, or a look around finds it: /proc lists the
//            children of each thread
//   an exec  the process has other random bytes than before (ProgramImage). What executed since its fork says so itself,
//            also when it is dead
//   an end   wakes the supervisor. A parent's wait is held until the end is recorded, so that the dead child still has
//            its exit code and CPU clock
//
// What may have been missed is counted by name: a child that made no call and whose end was taken note of by a wait that
// cannot be held, a process that was gone before it was seen whether it executed, or had another name then, and one whose
// parent had ended.
#include <algorithm>
#include <array>

#include "backends/linux/supervisor/process_tracker.hpp"
#include "os/kernel/children.hpp"

namespace dpm {
namespace {

constexpr std::size_t kLookedThreadsMax = 16;  // of a process whose children are looked up thread by thread

}  // namespace

TrackedThread* ProcessTracker::discover(std::uint32_t tid) {
  const auto status = shared_.kernel.read_status(tid);
  if (!status) return nullptr;
  if (status->pid == tid) return discover_process(tid, status->parent_pid);
  TrackedProcess* process = shared_.table.process(status->pid);
  if (process == nullptr && discover(status->pid) != nullptr) process = shared_.table.process(status->pid);
  const bool has_threads = process != nullptr && !process->kinship.threads.empty();
  // Which thread made it, the kernel does not tell.
  const Creator creator{has_threads ? process->kinship.threads.front()->metered : nullptr};
  return &register_thread(tid, status->pid, creator, shared_.clock.now());
}

TrackedThread* ProcessTracker::discover_process(std::uint32_t pid, std::uint32_t parent_pid) {
  const auto status = shared_.kernel.read_status(pid);
  const auto state = shared_.kernel.read_child(pid);
  // The meter itself is a child of a program that is its namespace's first process.
  if (!status || !state || status->seccomp_filters < filters_min_) return nullptr;
  Creator creator = is_ours(parent_pid) ? creator_of(pid, parent_pid) : Creator{};
  if (looks() && creator.thread == nullptr) parentless_.push_back(name_for_people(shared_.kernel, pid));
  if (TrackedThread* parent = creator.thread == nullptr ? nullptr : shared_.table.thread(creator.thread->tid()))
    cpu_times_.read(*parent);
  creator.executed_since = looks() && creator.thread != nullptr && state->has_executed;
  const LocalTime now = shared_.clock.now();
  TrackedThread& thread = register_thread(pid, pid, creator, now);
  if (creator.executed_since) look_at_program(thread);
  return &thread;
}

// Whether it is the program's. It is registered then if it was not, and before it those of its ancestors that are.
bool ProcessTracker::is_ours(std::uint32_t pid) {
  if (shared_.table.process(pid) != nullptr) return true;
  const auto state = pid == 0 ? std::nullopt : shared_.kernel.read_child(pid);
  return state && is_ours(state->parent_pid) && discover_process(pid, state->parent_pid) != nullptr;
}

ProcessTracker::Creator ProcessTracker::creator_of(std::uint32_t child_pid, std::uint32_t parent_pid) {
  const auto& threads = shared_.table.process(parent_pid)->kinship.threads;
  if (threads.empty()) return {};
  if (threads.size() == 1) return {.thread = threads.front()->metered, .itself = true};
  for (std::size_t i = 0; i < std::min(threads.size(), kLookedThreadsMax); ++i) {
    const auto children = shared_.kernel.read_children_of_thread(parent_pid, threads[i]->metered->tid());
    if (std::find(children.begin(), children.end(), child_pid) != children.end())
      return {.thread = threads[i]->metered, .itself = true};
  }
  return {.thread = threads.front()->metered};
}

void ProcessTracker::find_children(std::uint32_t pid) {
  const TrackedProcess* process = looks() ? shared_.table.process(pid) : nullptr;
  if (process == nullptr) return;
  std::vector<std::uint32_t> tids;
  for (const TrackedThread* thread : process->kinship.threads) tids.push_back(thread->metered->tid());
  if (tids.size() > kLookedThreadsMax) tids.resize(kLookedThreadsMax);
  for (const std::uint32_t tid : tids)
    for (const std::uint32_t child : shared_.kernel.read_children_of_thread(pid, tid))
      if (shared_.table.process(child) == nullptr && !is_recorded_dead(child)) discover_process(child, pid);
}

// A dead process is its parent's child until that has taken note of the end.
bool ProcessTracker::is_recorded_dead(std::uint32_t pid) const {
  const auto dead = dead_.find(pid);
  return dead != dead_.end() && shared_.kernel.read_beginning_ns(pid, pid) == dead->second;
}

void ProcessTracker::note_dead(std::uint32_t pid) {
  constexpr std::size_t kForgetFrom = 64;
  if (dead_.size() >= kForgetFrom)
    std::erase_if(dead_, [this](const auto& one) { return !shared_.kernel.read_child(one.first); });
  dead_[pid] = shared_.kernel.read_beginning_ns(pid, pid);
}

// `is_new`: the program made it. If it has executed, even since it was discovered, the next look finds that.
void ProcessTracker::note_first_look(TrackedProcess& process, std::uint32_t pid, bool is_new) {
  const auto image = shared_.kernel.read_program_image(pid, pid);
  const auto state = shared_.kernel.read_child(pid);
  if (!state) return;
  process.command_name = state->name;
  process.has_executed = state->has_executed && !is_new;
  if (!state->has_executed || !is_new) process.image = image;
}

void ProcessTracker::look_at_program(TrackedThread& thread) {
  const std::uint32_t pid = thread.metered->pid(), tid = thread.metered->tid();
  std::array<std::byte, 16> random{};
  const auto& known = thread.process->image;
  if (known && shared_.kernel.read_memory(tid, known->random_at, random) == random.size() && random == known->random)
    return;
  const auto image = shared_.kernel.read_program_image(pid, tid);
  const auto state = shared_.kernel.read_child(pid);
  if (!state) return;
  // Of a program that may not be read, only the first exec since the fork is certain.
  const bool other = image && known && *image != *known;
  const bool first = state->has_executed && !thread.process->has_executed;
  if (other || first) {
    TrackedThread* executing = shared_.table.thread(pid);
    executed(executing == nullptr ? thread : *executing, shared_.clock.now());
  }
  thread.process->has_executed = state->has_executed;
  thread.process->command_name = state->name;
  if (image) thread.process->image = image;
}

// The process is dead. What it executed after the last look shows by what is left of it.
void ProcessTracker::look_at_last_program(TrackedThread& thread) {
  TrackedProcess& process = *thread.process;
  const std::uint32_t pid = thread.metered->pid();
  const auto state = shared_.kernel.read_child(pid);
  const bool first = state && state->has_executed && !process.has_executed;
  if (first) return executed(thread, shared_.clock.now());
  const bool has_other_name = state && state->state == 'Z' && state->name != process.command_name;
  if ((!state && !process.has_executed) || has_other_name) maybe_executed_.push_back(process.command_name);
}

void ProcessTracker::look_at(TrackedThread& thread) {
  if (!looks()) return;
  if (shared_.kernel.has_ended(thread.thread_fd.get())) {
    has_ended_unannounced(thread);
  } else {
    look_at_program(thread);
  }
}

void ProcessTracker::look_at_end(std::uint32_t tid) {
  TrackedThread* thread = looks() ? shared_.table.thread(tid) : nullptr;
  if (thread == nullptr || !shared_.kernel.has_ended(thread->thread_fd.get())) return;
  has_ended_unannounced(*thread);
  observer_.news_are_read();
}

void ProcessTracker::has_ended_unannounced(TrackedThread& thread) {
  const auto state = shared_.kernel.read_child(thread.metered->pid());
  std::optional<std::uint32_t> code = shared_.kernel.exit_code_of(thread.thread_fd.get());
  if (!code && state && state->state == 'Z') code = state->exit_code;
  if (!code && thread.metered->tid() == thread.metered->pid()) codeless_.push_back(thread.process->command_name);
  ended(thread, exit_status(code.value_or(0)), shared_.clock.now(), false);
}

void ProcessTracker::look_around() {
  constexpr std::size_t kProcessesAtOnce = 16;
  if (!looks()) return;
  std::vector<TrackedThread*> gone;
  for (const auto& [tid, thread] : shared_.table.threads())
    if (shared_.kernel.has_ended(thread->thread_fd.get())) gone.push_back(thread.get());
  for (TrackedThread* thread : gone) has_ended_unannounced(*thread);
  std::vector<std::uint32_t> pids;
  for (const auto& [pid, process] : shared_.table.processes()) pids.push_back(pid);
  std::sort(pids.begin(), pids.end());
  const auto from = std::lower_bound(pids.begin(), pids.end(), look_from_);
  std::rotate(pids.begin(), from, pids.end());
  look_from_ = pids.size() > kProcessesAtOnce ? pids[kProcessesAtOnce] : 0;
  if (pids.size() > kProcessesAtOnce) pids.resize(kProcessesAtOnce);
  for (const std::uint32_t pid : pids) {
    TrackedProcess* process = shared_.table.process(pid);
    if (process == nullptr || process->kinship.threads.empty()) continue;
    look_at_program(*process->kinship.threads.front());
    if (const auto state = shared_.kernel.read_child(pid)) process->command_name = state->name;
    find_children(pid);
  }
  observer_.news_are_read();
}

void ProcessTracker::has_unseen_child(const TrackedThread& parent) {
  unseen_children_.push_back(name_for_people(shared_.kernel, parent.metered->pid()));
}

}  // namespace dpm
