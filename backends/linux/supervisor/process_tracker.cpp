#include "backends/linux/supervisor/process_tracker.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <utility>

#include "backends/linux/calls/process_names.hpp"
#include "os/kernel/children.hpp"
#include "text/first_names.hpp"

namespace dpm {
namespace {

constexpr std::size_t kLookedThreadsMax = 16;  // of a process whose children are looked up thread by thread

}  // namespace

std::uint32_t exit_status(std::uint32_t wait_status) {
  const int status = static_cast<int>(wait_status);
  return static_cast<std::uint32_t>(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

ProcessTracker::ProcessTracker(Shared& shared, const Terms& terms, ProcessObserver& observer)
    : shared_(shared),
      observer_(observer),
      program_(terms.program),
      cpu_times_(shared, terms.call_cost_ns, terms.cpu_counters),
      places_(shared, terms.callers),
      bypasses_(shared) {}

void ProcessTracker::register_program() {
  if (const auto status = shared_.kernel.read_status(program_.pid)) filters_min_ = status->seccomp_filters;
  for (const std::uint32_t tid : shared_.kernel.read_thread_ids(program_.pid))
    register_thread(tid, program_.pid, {}, shared_.clock.now());
  // The program's parent is not metered.
  if (TrackedThread* first = shared_.table.thread(program_.pid)) cpu_times_.count(*first);
}

TrackedThread* ProcessTracker::thread_of(std::uint32_t tid) {
  if (TrackedThread* known = shared_.table.thread(tid)) return known;
  read_news();  // the fork is announced before the child's first call waits
  if (TrackedThread* announced = shared_.table.thread(tid)) return announced;
  return discover(tid);
}

Processes::Birth ProcessTracker::birth_of(std::uint32_t tid, std::uint32_t pid, Creator creator) {
  Processes::Birth birth;
  birth.pid = pid;
  birth.tid = tid;
  const std::uint32_t named_by = creator.executed_since ? creator.thread->pid() : pid;
  birth.program = shared_.kernel.read_program_path(named_by);
  birth.name = shared_.kernel.read_command_name(named_by, creator.executed_since ? named_by : tid);
  // It waits before its first instruction: it still has dpm's name, and its CPU time so far is dpm's.
  if (tid == program_.pid && program_.from_start && creator.thread == nullptr) {
    birth.name = file_name(first_word(program_.command));
    shared_.kernel.process_cpu_time_ns(pid, birth.cpu_before_ns);
  }
  birth.name = name_or_file(birth.name, birth.program);
  if (tid == pid) birth.cgroup = shared_.kernel.read_cgroup_label(pid);
  birth.began_ns = shared_.kernel.read_beginning_ns(pid, tid);
  birth.acquired = creator.thread == nullptr && !program_.from_start;
  birth.by_creator_itself = creator.itself;
  birth.flags = program_.flags;
  return birth;
}

TrackedThread& ProcessTracker::register_thread(std::uint32_t tid, std::uint32_t pid, Creator creator, LocalTime time) {
  Processes::Birth birth = birth_of(tid, pid, creator);
  auto thread = std::make_unique<TrackedThread>();
  thread->files = shared_.kernel.files_of(pid, tid);
  if (birth.acquired) thread->files->cpu_time_ns(birth.cpu_so_far_ns);
  thread->metered = &shared_.meter.processes().begin(birth, creator.thread, time, shared_.clock.steady_ns(time));
  thread->thread_fd = shared_.kernel.open_thread(tid, pid);
  shared_.news.watch_end(thread->thread_fd.get(), tid);
  auto& process = shared_.table.process_place(pid);
  // After an exec by another thread than the first, the process id belongs to a new process.
  if (process == nullptr || (tid == pid && process->kinship.first_has_ended))
    process = std::make_shared<TrackedProcess>();
  process->several_threads |= pid != tid;
  if (birth.acquired && process->kinship.first.is_none()) cpu_times_.acquired(*process, pid);
  if (process->program.empty()) process->program = birth.program;
  if (pid == tid) process->unnamed = is_unnamed(birth.name, birth.program);
  if (looks() && pid == tid) note_first_look(*process, pid, creator.thread != nullptr);
  thread->process = process;
  thread->cpu_read_at = time;
  if (TrackedThread* before = shared_.table.thread(tid)) forget(*before);
  TrackedThread& registered = shared_.table.put(tid, std::move(thread));
  join_kin(registered, creator.thread == nullptr ? 0 : creator.thread->pid());
  return registered;
}

void ProcessTracker::join_kin(TrackedThread& thread, std::uint32_t creator_pid) {
  const std::uint32_t pid = thread.metered->pid();
  Kinship& kinship = thread.process->kinship;
  kinship.threads.push_back(&thread);
  if (kinship.first.is_none()) kinship.first = thread.metered->id();
  if (pid != thread.metered->tid() || creator_pid == 0 || creator_pid == pid) return;
  kinship.parent_pid = creator_pid;
  child_waits_.gone(pid);  // of an earlier process of that number
  TrackedProcess* parent = shared_.table.process(creator_pid);
  if (parent == nullptr) return;
  Kinship& parents = parent->kinship;
  std::erase(parents.children, pid);
  parents.children.push_back(pid);
  if (const TrackedThread* creator = shared_.table.thread(creator_pid);
      creator != nullptr && !parents.handling_is_known) {
    ThreadFiles::ChildHandling handling;
    parents.handling_is_known = creator->files->child_handling(handling);
    parents.keeps_no_ends = handling.ignored || handling.caught;
  }
  if (parents.keeps_no_ends) cpu_times_.count(thread);
}

void ProcessTracker::forget(TrackedThread& thread) {
  observer_.forget_thread(thread);
  std::erase(thread.process->kinship.threads, &thread);
}

void ProcessTracker::read_news() {
  if (!shared_.news.tells_of_processes()) return;
  take_news();
  do {
    while (!news_.empty()) {
      const ProcessChange change = news_.front();
      news_.pop_front();
      announced(change);
    }
    observer_.news_are_read();
  } while (!news_.empty());
}

void ProcessTracker::take_news() {
  if (!shared_.news.drain([this](const ProcessChange& change) { news_.push_back(change); })) ++news_lost_;
}

// The process's forks were announced before its end, and must become its children first. This reads nothing else,
// because that may end threads, and the caller is looking at some.
void ProcessTracker::read_forks_of(std::uint32_t pid) {
  take_news();
  for (auto change = news_.begin(); change != news_.end();) {
    const bool is_its = change->kind == ProcessChange::Kind::fork && change->parent_pid == pid;
    if (is_its) forked(*change, shared_.clock.at(static_cast<std::int64_t>(change->boot_time_ns)));
    change = is_its ? news_.erase(change) : change + 1;
  }
}

void ProcessTracker::announced(const ProcessChange& change) {
  const LocalTime time = shared_.clock.at(static_cast<std::int64_t>(change.boot_time_ns));
  if (change.kind == ProcessChange::Kind::fork) return forked(change, time);
  TrackedThread* thread = shared_.table.thread(change.tid);
  if (thread == nullptr && change.kind == ProcessChange::Kind::exec) thread = takes_over(change.pid, time);
  if (thread == nullptr) return;
  if (change.kind == ProcessChange::Kind::exec) return executed(*thread, time);
  const bool number_goes_on = std::any_of(news_.begin(), news_.end(), [&change](const ProcessChange& next) {
    return next.kind == ProcessChange::Kind::exec && next.tid == change.tid;
  });
  ended(*thread, exit_status(change.exit_code), time, number_goes_on);
}

void ProcessTracker::forked(const ProcessChange& change, LocalTime time) {
  // The kernel names the child's new parent. For a thread that is its creator's parent, so its creator is taken to be
  // the process it belongs to.
  const bool is_process = change.pid == change.tid;
  TrackedThread* parent = shared_.table.thread(is_process ? change.parent_tid : change.pid);
  if (parent == nullptr || shared_.table.thread(change.tid) != nullptr) return;
  const bool itself = is_process || !parent->process->several_threads;
  // From now on the process's clock counts the new thread too, and is not that of its first thread.
  if (!is_process) parent->process->several_threads = true;
  cpu_times_.read(*parent);
  register_thread(change.tid, change.pid, {parent->metered, itself}, time);
}

// Another thread than the first executes a program: the first has ended, as all others have. It gets the number of the process, and
// goes on as a new thread that it has made. Nothing if no thread is left.
TrackedThread* ProcessTracker::takes_over(std::uint32_t pid, LocalTime time) {
  TrackedProcess* const process = shared_.table.process(pid);
  if (process == nullptr || !process->kinship.first_has_ended || process->kinship.threads.empty()) return nullptr;
  TrackedThread& executing = *process->kinship.threads.front();
  process->kinship.first_has_ended = false;
  TrackedThread& first = register_thread(pid, pid, {executing.metered, true}, time);
  observer_.thread_ends(executing, true);
  cpu_times_.goes_on(executing, first);
  record_end(executing, 0, time);
  return &first;
}

void ProcessTracker::executed(TrackedThread& thread, LocalTime time) {
  const std::uint32_t pid = thread.metered->pid(), tid = thread.metered->tid();
  const std::string path = shared_.kernel.read_program_path(pid);
  const std::string name = name_or_file(shared_.kernel.read_command_name(pid, tid), path);
  Kinship kinship = std::move(thread.process->kinship);
  kinship.keeps_no_ends = kinship.handling_is_known = kinship.traces = false;
  *thread.process = {.kinship = std::move(kinship), .program = path};  // other code, one thread
  thread.process->unnamed = is_unnamed(name, path);
  thread.last_code = {};
  places_.forget(pid);
  observer_.program_changes(thread);
  shared_.meter.executed(*thread.metered, name, path, time, shared_.clock.steady_ns(time));
  thread.thread_fd = shared_.kernel.open_thread(tid, pid);
  shared_.news.watch_end(thread.thread_fd.get(), tid);
  thread.files = shared_.kernel.files_of(pid, tid);
  bypasses_.program_began(thread, time);
}

void ProcessTracker::ended(TrackedThread& thread, std::uint32_t exit_code, LocalTime time, bool number_goes_on) {
  const std::uint32_t pid = thread.metered->pid(), tid = thread.metered->tid();
  if (looks() && tid == pid) look_at_last_program(thread);
  observer_.thread_ends(thread, number_goes_on);
  cpu_times_.read_last(thread, time);
  record_end(thread, exit_code, time);
}

void ProcessTracker::record_end(TrackedThread& thread, std::uint32_t exit_code, LocalTime time) {
  const std::uint32_t pid = thread.metered->pid(), tid = thread.metered->tid();
  shared_.meter.ended(*thread.metered, exit_code, time, shared_.clock.steady_ns(time));
  const std::shared_ptr<TrackedProcess> process = thread.process;
  bypasses_.has_ended(thread);
  forget(thread);
  shared_.table.erase_thread(tid);
  if (tid == pid) process->kinship.first_has_ended = true;
  if (tid == pid) places_.forget(pid);
  if (!process->kinship.threads.empty()) return;
  if (looks()) note_dead(pid);
  if (process->unnamed) ++unnamed_;
  shared_.table.erase_process(pid);
  is_gone(pid, process->kinship, time);
}

// All threads of the process have ended. Its parent may wait for that, and its children get another parent.
void ProcessTracker::is_gone(std::uint32_t pid, const Kinship& kinship, LocalTime time) {
  cpu_times_.is_gone(kinship);
  for (const std::uint32_t child : kinship.children) adopt(child);
  std::optional<ChildState> state = shared_.kernel.read_child(pid);
  const bool is_dead = state && state->has_ended();
  const std::uint32_t parent_pid = is_dead ? state->parent_pid : kinship.parent_pid;
  TrackedProcess* parent = shared_.table.process(parent_pid);
  if (parent == nullptr) return;
  parent->kinship.reaped_cpu_ns += kinship.ended_cpu_ns + kinship.reaped_cpu_ns;
  if (!is_dead) state = ChildState{.pid = pid, .parent_pid = parent_pid, .exit_signal = ChildState::kUnknownSignal};
  child_waits_.ended(pid, {.process = kinship.first, .state = *state, .ended_at = time});
  child_waits_.look_at(parent_pid);
  if (is_dead) return;
  observer_.child_is_gone(parent_pid, *state);
  child_waits_.gone(pid);
  std::erase(parent->kinship.children, pid);
}

// The child's parent has ended. If the child is dead, the new parent will not be held long enough.
void ProcessTracker::adopt(std::uint32_t child_pid) {
  child_waits_.gone(child_pid);
  TrackedThread* first = shared_.table.thread(child_pid);
  if (first == nullptr) return;
  cpu_times_.count(*first);
  const auto child = shared_.kernel.read_child(child_pid);
  TrackedProcess* parent = shared_.table.process(child ? child->parent_pid : 0);
  first->process->kinship.parent_pid = child ? child->parent_pid : 0;
  if (parent != nullptr) parent->kinship.children.push_back(child_pid);
}

void ProcessTracker::process_has_ended(std::uint32_t pid, std::uint32_t wait_status) {
  const TrackedProcess* process = shared_.table.process(pid);
  if (process == nullptr) return;
  read_forks_of(pid);
  const std::vector<TrackedThread*> threads = process->kinship.threads;
  for (TrackedThread* thread : threads) ended(*thread, exit_status(wait_status), shared_.clock.now(), false);
}

// ---- where nothing is announced
//
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
  if (!status || !state) return nullptr;
  // The meter itself is a child of a program that is its namespace's first process. The dead have no filters since Linux 6.11.
  if (!state->has_ended() && status->seccomp_filters < filters_min_) return nullptr;
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

std::vector<std::string> ProcessTracker::warnings() const {
  std::vector<std::string> warnings;
  if (news_lost_ > 0)
    warnings.push_back(fmt::format(
        "the kernel dropped announcements of processes {} times: some forks and exits are missing", news_lost_));
  if (unnamed_ > 0)
    warnings.push_back(
        fmt::format("processes that ended before their names could be read: {}; each is called 'process'", unnamed_));
  const auto add = [&warnings](const std::vector<std::string>& names, const char* what) {
    if (!names.empty()) warnings.push_back(fmt::format("{}: {} ({})", what, names.size(), first_names(names)));
  };
  add(unseen_children_, "processes that were never seen, because they made no metered call, by their parents");
  add(parentless_, "processes whose parent had ended before they were seen");
  add(maybe_executed_, "processes that ended before dpm could see whether they executed a program");
  add(codeless_, "processes that ended before their exit status could be read, which counts as 0");
  if (auto cpu = cpu_times_.warning()) warnings.push_back(*std::move(cpu));
  return warnings;
}

}  // namespace dpm
