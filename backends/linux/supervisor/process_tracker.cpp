#include "backends/linux/supervisor/process_tracker.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "backends/linux/calls/process_names.hpp"

namespace dpm {

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
  if (tid == program_.pid && program_.from_start) {
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
  const Processes::Birth birth = birth_of(tid, pid, creator);
  auto thread = std::make_unique<TrackedThread>();
  thread->metered = &shared_.meter.processes().begin(birth, creator.thread, time, shared_.clock.steady_ns(time));
  thread->thread_fd = shared_.kernel.open_thread(tid, pid);
  shared_.news.watch_end(thread->thread_fd.get(), tid);
  thread->files = shared_.kernel.files_of(pid, tid);
  auto& process = shared_.table.process_place(pid);
  // After an exec by another thread than the first, the process id belongs to a new process.
  if (process == nullptr || (tid == pid && process->kinship.first_has_ended))
    process = std::make_shared<TrackedProcess>();
  process->several_threads |= pid != tid;
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
  if (pid != thread.metered->tid() || creator_pid == 0) return;
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
  if (!is_dead) state = ChildState{.pid = pid, .parent_pid = parent_pid, .exit_signal = SIGCHLD};
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

std::vector<std::string> ProcessTracker::warnings() const {
  std::vector<std::string> warnings;
  if (news_lost_ > 0)
    warnings.push_back(fmt::format(
        "the kernel dropped announcements of processes {} times: some forks and exits are missing", news_lost_));
  if (unnamed_ > 0)
    warnings.push_back(
        fmt::format("processes that ended before their names could be read: {}; each is called 'process'", unnamed_));
  const auto add = [&warnings](const std::vector<std::string>& names, const char* what) {
    if (!names.empty()) warnings.push_back(fmt::format("{}: {} ({})", what, names.size(), listed(names)));
  };
  add(unseen_children_, "processes that were never seen, because they made no metered call, by their parents");
  add(parentless_, "processes whose parent had ended before they were seen");
  add(maybe_executed_, "processes that were gone before it could be seen whether they executed a program");
  add(codeless_, "processes that were gone before their exit status could be read, which counts as 0");
  if (auto cpu = cpu_times_.warning()) warnings.push_back(*std::move(cpu));
  return warnings;
}

}  // namespace dpm
