#include "sampling/proc/proc_sampler.hpp"

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "os/descriptors.hpp"
#include "os/read_file.hpp"
#include "sampling/proc/sample_clock.hpp"
#include "sampling/states/cpu_split.hpp"
#include "sampling/states/state_rules.hpp"

namespace dpm::sampling {
namespace {

constexpr std::uint64_t kActive_ns = 300 * kNsPerSecond;  // S4 4.4: no user for five minutes
constexpr std::uint64_t kSamplesBetweenLooks = 8;         // at processes that are not selected: they may become so
constexpr std::size_t kFilesOfThread = 4;

std::uint64_t boot_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * kNsPerSecond + static_cast<std::uint64_t>(now.tv_nsec);
}

std::uint64_t ns_of_ticks(std::uint64_t ticks) {
  static const auto ticks_per_second = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  return ticks * (kNsPerSecond / ticks_per_second);
}

std::string path_of(std::uint32_t pid, const char* file) { return "/proc/" + std::to_string(pid) + "/" + file; }

bool is_awake(Stateword word) {
  return std::ranges::any_of(
      std::array{Resource::cpu, Resource::disk, Resource::paging, Resource::swap, Resource::memory, Resource::inode},
      [&](Resource resource) { return word.runs_on(resource) || word.queues_for(resource); });
}

// Its parent has not taken note of it. It has no terminal any more.
bool has_ended(const StatLine& stat) { return stat.letter == 'Z' || stat.letter == 'X'; }

std::uint64_t grown(std::uint64_t before, std::uint64_t now) { return now - std::min(before, now); }

// "0.31 0.40 0.50 2/345 6789": two tasks can run, and this process is one of them.
std::uint32_t runnable_tasks(std::string_view load) {
  for (int i = 0; i < 3; ++i) load.remove_prefix(std::min(load.find(' ') + 1, load.size()));
  std::uint32_t tasks = 0;
  std::from_chars(load.data(), load.data() + load.size(), tasks);
  return tasks > 0 ? tasks - 1 : 0;
}

}  // namespace

ProcSampler::ProcSampler(Selection selection, std::unique_ptr<TaskLooker> looker)
    : selection_(std::move(selection)),
      looker_(std::move(looker)),
      last_ns_(boot_ns()),
      own_pid_(static_cast<std::uint32_t>(::getpid())) {
  if (looker_) looker_->want(own_pid_, true);  // the sampled command, and what its processes leave behind
  allow_many_descriptors();
  rlimit limit = {};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  descriptors_most_ = limit.rlim_cur > 256 ? limit.rlim_cur - 256 : 0;
}

bool ProcSampler::take(CountArray& counts) {
  now_ns_ = boot_ns();
  if (!look_at_tasks(counts.account())) return false;
  Sample sample;
  virtual_processes_.clear();
  groups_.clear();
  if (find_members() && !look_at_tasks(counts.account())) return false;
  look_at_members(sample, counts.account());
  add_threads(sample, counts);
  set_levels(sample);
  counts.add(sample);
  last_ = std::move(sample);
  last_ns_ = now_ns_;
  ++samples_;
  return true;
}

bool ProcSampler::is_over() const {
  const bool can_gain = selection_.kind != Selection::Kind::processes && selection_.kind != Selection::Kind::tree;
  return samples_ > 0 && processes_.empty() && !can_gain;
}

std::vector<std::uint32_t> ProcSampler::process_ids() const {
  std::vector<std::uint32_t> pids;
  for (const auto& [pid, process] : processes_) pids.push_back(pid);
  return pids;
}

bool ProcSampler::look_at_tasks(SamplerAccount& account) {
  if (!looker_ || looker_->look(tasks_)) return true;
  ++account.missed;
  return false;
}

bool ProcSampler::find_members() {
  if (selection_.kind == Selection::Kind::processes && samples_ > 0) return false;
  bool needs_look = false;
  std::set<std::uint32_t> found;
  for (const std::uint32_t pid : candidates_now()) {
    if (processes_.contains(pid) || pid == own_pid_) continue;
    const auto other = others_.find(pid);
    if (other != others_.end() && (samples_ + pid) % kSamplesBetweenLooks != 0) {
      other->second = samples_;
      continue;
    }
    if (examine(pid)) {
      needs_look |= !is_looked_into(pid, found);
      found.insert(pid);
      others_.erase(pid);
    } else {
      others_[pid] = samples_;
    }
  }
  if (samples_ % kSamplesBetweenLooks == 0)
    std::erase_if(others_, [&](const auto& other) { return other.second + kSamplesBetweenLooks < samples_; });
  return needs_look;
}

// Whether the table has where the threads of this new member wait: the iterator looks into children of what was wanted before the
// pass. A second pass would be a second instant, at which short-lived processes are older, or gone.
bool ProcSampler::is_looked_into(std::uint32_t pid, const std::set<std::uint32_t>& found) const {
  if (!looker_) return true;
  const auto stat = stat_of(pid);
  if (!stat) return true;
  return stat->parent == own_pid_ || (processes_.contains(stat->parent) && !found.contains(stat->parent));
}

std::vector<std::uint32_t> ProcSampler::candidates_now() const {
  const bool are_listed = selection_.kind == Selection::Kind::processes || selection_.kind == Selection::Kind::cgroup;
  return looker_ && !are_listed ? tasks_.processes() : candidates(selection_);
}

std::optional<StatLine> ProcSampler::stat_of(std::uint32_t pid) const {
  if (!looker_) return read_stat(read_file(path_of(pid, "stat")));
  const auto threads = tasks_.threads_of(pid);
  return threads.empty() ? std::nullopt : std::optional(threads.front().stat);
}

// Members that have ended since the last sample are still in the list: their numbers may be those of others.
bool ProcSampler::is_member(std::uint32_t pid) const {
  const auto member = processes_.find(pid);
  if (member == processes_.end()) return false;
  const auto stat = stat_of(pid);
  return stat && stat->start_ticks == member->second.start_ticks();
}

bool ProcSampler::examine(std::uint32_t pid) {
  auto stat = stat_of(pid);
  if (!stat) return false;
  const bool has_member_as_parent = is_member(stat->parent);
  const std::uint32_t terminal = has_member_as_parent ? processes_.at(stat->parent).stat().terminal : 0;
  if (stat->terminal == 0 && !has_ended(*stat)) stat->terminal = terminal;
  if (!is_selected(selection_, pid, *stat, has_member_as_parent || stat->parent == own_pid_)) return false;
  processes_.try_emplace(pid, pid, stat->start_ticks, quotas_.folder_of(pid), stat->terminal);
  if (looker_) looker_->want(pid, true);
  return true;
}

void ProcSampler::look_at_members(Sample& sample, SamplerAccount& account) {
  threads_ = 0;
  for (auto entry = processes_.begin(); entry != processes_.end();) {
    SampledProcess& process = entry->second;
    auto found = looker_ ? process.take(tasks_.threads_of(process.pid()), descriptors_)
                         : process.look(descriptors_, buffer_, descriptors_left());
    if (found.refused) {
      ++account.unreadable;
      others_[process.pid()] = samples_;
    } else {
      add_ending(process.stat(), found.ending, sample);
      if (!found.gone) add_group(process, std::move(found.threads));
    }
    const bool stays = selection_.kind == Selection::Kind::tree || selection_.kind == Selection::Kind::user ||
                       is_selected(selection_, process.pid(), process.stat(), false);
    const bool has_left = selection_.kind == Selection::Kind::terminals && has_ended(process.stat());
    const bool leaves = found.refused || found.gone || has_left || !stays;
    if (leaves && looker_) looker_->want(process.pid(), false);
    entry = leaves ? processes_.erase(entry) : std::next(entry);
  }
  sample.virtual_processes = static_cast<std::uint32_t>(virtual_processes_.size());
}

void ProcSampler::add_group(SampledProcess& process, std::vector<SampledThread*> threads) {
  threads_ += threads.size();
  const StatLine& stat = process.stat();
  groups_.push_back({virtual_process(stat), virtual_process_of(selection_, stat), is_in_foreground(stat),
                     process.quota_folder(), std::move(threads)});
}

void ProcSampler::add_ending(const StatLine& stat, std::size_t threads, Sample& sample) {
  for (std::size_t i = 0; i < threads; ++i)
    sample.threads.push_back(
        {.state = State::ending, .in_foreground = is_in_foreground(stat), .virtual_process = virtual_process(stat)});
}

// First those whose state is in their own evidence, then those that share the CPUs.
void ProcSampler::add_threads(Sample& sample, CountArray& counts) {
  std::vector<RunnableThread> runnable;
  std::vector<std::size_t> places;
  std::vector<const std::string*> quota_folders;
  for (const Group& group : groups_) {
    for (SampledThread* thread : group.threads) {
      add_counters(*thread, sample);
      if (thread->counters().turns != thread->counters_before.turns) last_ran_ns_[group.number] = now_ns_;
      const auto state = state_of(thread->evidence());
      if (!state) counts.add_unrecognised(thread->evidence().to_text());
      if (state == State::cpu_run) {
        runnable.push_back({thread->counters_before, thread->counters(), now_ns_ - last_ns_, thread->stat().processor,
                            &thread->credit});
        quota_folders.push_back(&group.quota_folder);
        places.push_back(sample.threads.size());
      }
      sample.threads.push_back({.state = state.value_or(State::cpu_run),
                                .recognised = state.has_value(),
                                .in_foreground = group.in_foreground,
                                .virtual_process = group.virtual_process,
                                .thread = thread->thread(),
                                .start_ticks = thread->stat().start_ticks,
                                .seen_ns = thread->seen_ns(),
                                .waits_still = thread->waits_still(),
                                .is_bad = thread->is_bad(),
                                .call = thread->evidence().call});
    }
  }
  split_cpu(runnable);
  split_throttled(runnable, quota_folders);
  for (std::size_t i = 0; i < places.size(); ++i) sample.threads[places[i]].state = runnable[i].state;
  for (const Group& group : groups_)
    for (SampledThread* thread : group.threads) thread->counters_before = thread->counters();
}

// A thread that began since the last sample counts from its beginning, another from now on.
void ProcSampler::add_counters(SampledThread& thread, Sample& sample) {
  const CpuCounters& now = thread.counters();
  if (thread.looked_at_ns == 0) {
    const std::uint64_t began_ns = ns_of_ticks(thread.stat().start_ticks);
    const bool is_new = began_ns + kNsPerSecond / 100 > last_ns_;  // its beginning is known to a tick
    if (!is_new) thread.counters_before = now;
    thread.looked_at_ns = is_new ? std::max(began_ns, last_ns_) : now_ns_;
  }
  sample.ran_ns += grown(thread.counters_before.ran_ns, now.ran_ns);
  sample.waited_ns += grown(thread.counters_before.waited_ns, now.waited_ns);
  sample.watched_ns += grown(thread.looked_at_ns, now_ns_);
  thread.looked_at_ns = now_ns_;
}

// By the kernel's counts of the cgroups that have a quota.
void ProcSampler::split_throttled(std::vector<RunnableThread>& runnable,
                                  const std::vector<const std::string*>& quota_folders) {
  std::map<std::string, std::vector<RunnableThread*>> threads;
  for (const Group& group : groups_)
    if (!group.quota_folder.empty()) threads[group.quota_folder];
  for (std::size_t i = 0; i < runnable.size(); ++i)
    if (!quota_folders[i]->empty()) threads[*quota_folders[i]].push_back(&runnable[i]);
  for (const auto& [folder, own] : threads) {
    Throttling& throttling = throttling_[folder];
    throttling.owe(quotas_.throttled_since_ns(folder), now_ns_);
    throttling.split(own, now_ns_ - last_ns_, now_ns_);
  }
}

void ProcSampler::set_levels(Sample& sample) {
  std::vector<Stateword> words(sample.virtual_processes);
  for (const auto& thread : sample.threads)
    if (thread.recognised) words[thread.virtual_process] |= Stateword(thread.state);
  std::uint32_t users = 0;
  for (const auto& [number, index] : virtual_processes_) {
    const auto [last, is_new] = last_ran_ns_.try_emplace(number, now_ns_);
    if (now_ns_ - last->second <= kActive_ns) ++users;
  }
  const auto level = [&](Workload workload) -> std::uint32_t& {
    return sample.levels[static_cast<std::size_t>(workload)];
  };
  level(Workload::users) = users;
  level(Workload::awake) = static_cast<std::uint32_t>(std::ranges::count_if(words, is_awake));
  std::string_view load;
  if (load_.read(buffer_, load) == ReadOutcome::done) level(Workload::runnable) = runnable_tasks(load);
  if (requests_) level(Workload::requests) = requests_();
}

std::uint32_t ProcSampler::virtual_process(const StatLine& stat) {
  const std::uint32_t number = virtual_process_of(selection_, stat);
  return virtual_processes_.try_emplace(number, static_cast<std::uint32_t>(virtual_processes_.size())).first->second;
}

bool ProcSampler::descriptors_left() const { return (threads_ + 1) * kFilesOfThread < descriptors_most_; }

}  // namespace dpm::sampling
