#include "scheduling/placing/affinity_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace dpm {
namespace {

// A thread that is started while its process is restored may inherit either set of CPUs: look again until none is bound.
constexpr int kPasses = 5;
// A child has the CPUs that its parent had when fork(2) began, and shows when it ends: the last looks must find none bound, with time
// between them.
constexpr int kQuietPasses = 5, kPassesAtTheEnd = 40;

template <typename Number>
bool take_number(std::string_view& text, Number& number) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{} || read.ptr == text.data() + text.size() || *read.ptr != ' ') return false;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()) + 1);
  return true;
}

}  // namespace

const OriginalAffinity* AffinityRecord::find(std::uint32_t tid, std::uint64_t began_ticks) const {
  const auto found = threads_.find(tid);
  return found != threads_.end() && found->second.began_ticks == began_ticks ? &found->second : nullptr;
}

// CPUs that are offline do not show in what a thread may use.
bool AffinityRecord::is_of_a_scheduler(const CpuSet& now, const CpuSet& original, const CpuSet& online) const {
  const CpuSet now_online = common_to(now, online);
  return now != original && std::any_of(places_.begin(), places_.end(), [&](const CpuSet& place) {
           return common_to(common_to(place, original), online) == now_online;
         });
}

const OriginalAffinity* AffinityRecord::source_of(std::uint32_t pid, std::uint32_t tid, const ThreadFacts& facts,
                                                  const CpuSet& now, const CpuSet& online) const {
  if (const OriginalAffinity* own = find(tid, facts.began_ticks))
    return is_of_a_scheduler(now, own->cpus, online) ? own : nullptr;
  const OriginalAffinity* nearest = nullptr;
  int distance = 3;  // of the nearest: a thread of the same process, of its parent, of its session
  for (const auto& [number, thread] : threads_) {
    const int its_distance = thread.pid == pid                 ? 0
                             : thread.pid == facts.parent_pid  ? 1
                             : thread.session == facts.session ? 2
                                                               : 3;
    if (its_distance >= distance || !is_of_a_scheduler(now, thread.cpus, online)) continue;
    distance = its_distance;
    nearest = &thread;
  }
  return nearest;
}

CpuSet AffinityRecord::original_of(AffinityCalls& calls, std::uint32_t pid, std::uint32_t tid, const ThreadFacts& facts,
                                   const CpuSet& now) const {
  const OriginalAffinity* source = source_of(pid, tid, facts, now, calls.online());
  return source != nullptr ? source->cpus : now;
}

RestoredThreads AffinityRecord::restore_once(AffinityCalls& calls, std::uint32_t pid,
                                             const OriginalAffinity* heir_of) const {
  RestoredThreads restored;
  const CpuSet online = calls.online();
  for (const std::uint32_t tid : calls.threads_of(pid)) {
    const auto facts = calls.facts_of(pid, tid);
    const auto now = calls.affinity_of(tid);
    if (!facts || facts->has_ended || !now) continue;
    const OriginalAffinity* original = source_of(pid, tid, *facts, *now, online);
    if (original == nullptr && heir_of != nullptr && is_of_a_scheduler(*now, heir_of->cpus, online)) original = heir_of;
    if (original == nullptr) continue;
    const bool done = calls.set_affinity(tid, original->cpus) == 0;
    const bool has_ended = !done && !calls.affinity_of(tid);
    restored.threads += done ? 1 : 0;
    restored.failed += done || has_ended ? 0 : 1;
  }
  return restored;
}

RestoredThreads AffinityRecord::restore(AffinityCalls& calls, std::uint32_t pid) const {
  RestoredThreads all;
  for (int pass = 0; pass < kPasses; ++pass) {
    const RestoredThreads now = restore_once(calls, pid, nullptr);
    all.threads += now.threads;
    all.failed = now.failed;
    if (now.threads == 0) break;
  }
  return all;
}

// The processes that descend from bound ones, by what is known of them: a child whose parent has ended is in the session of one.
std::map<std::uint32_t, const OriginalAffinity*> AffinityRecord::descendants(AffinityCalls& calls) const {
  std::map<std::uint32_t, const OriginalAffinity*> of_process, of_session, found;
  std::uint64_t first_ticks = UINT64_MAX;
  for (const auto& [tid, thread] : threads_) {
    of_process.emplace(thread.pid, &thread);
    of_session.emplace(thread.session, &thread);
    first_ticks = std::min(first_ticks, thread.began_ticks);
  }
  found = of_process;
  for (const std::uint32_t pid : calls.processes()) {
    const auto threads = calls.threads_of(pid);  // the first may have ended before the others
    const auto facts = threads.empty() ? std::nullopt : calls.facts_of(pid, threads.front());
    if (!facts || facts->began_ticks < first_ticks || found.contains(pid)) continue;
    const auto parent = found.find(facts->parent_pid);
    const auto session = of_session.find(facts->session);
    if (parent != found.end())
      found[pid] = parent->second;
    else if (session != of_session.end())
      found[pid] = session->second;
  }
  return found;
}

RestoredThreads AffinityRecord::restore_all(AffinityCalls& calls) const {
  RestoredThreads all;
  int quiet = 0;
  for (int pass = 0; pass < kPassesAtTheEnd && quiet < kQuietPasses; ++pass) {
    if (quiet > 0) calls.let_starts_end();
    RestoredThreads now;
    for (const auto& [pid, heir_of] : descendants(calls)) {
      const RestoredThreads restored = restore_once(calls, pid, heir_of);
      now.threads += restored.threads;
      now.failed += restored.failed;
    }
    all.threads += now.threads;
    all.failed = now.failed;
    quiet = now.threads == 0 ? quiet + 1 : 0;
  }
  return all;
}

std::string AffinityRecord::line_of(const OriginalAffinity& thread) {
  return fmt::format("thread {} {} {} {} {}", thread.pid, thread.tid, thread.began_ticks, thread.session,
                     cpu_set_text(thread.cpus));
}

bool AffinityRecord::add_line(std::string_view line) {
  constexpr std::string_view kPlace = "place ", kThread = "thread ";
  if (line.starts_with(kPlace)) {
    const auto cpus = parse_cpu_set(line.substr(kPlace.size()));
    if (cpus) add_place(*cpus);
    return cpus.has_value();
  }
  if (!line.starts_with(kThread)) return false;
  line.remove_prefix(kThread.size());
  OriginalAffinity thread;
  if (!take_number(line, thread.pid) || !take_number(line, thread.tid) || !take_number(line, thread.began_ticks) ||
      !take_number(line, thread.session))
    return false;
  const auto cpus = parse_cpu_set(line);
  if (!cpus || cpus->empty()) return false;
  thread.cpus = *cpus;
  add(thread);
  return true;
}

}  // namespace dpm
