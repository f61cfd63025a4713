// Which CPUs threads might use before a scheduler bound them, and how they get them back. Pure but for the calls it is given.
//
// A thread is given back only what was taken: if its CPUs are no longer those that a scheduler has set, another program has set them
// since, and they stay. A thread that a bound one has started has its CPUs; it gets back those of the one that it is from.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scheduling/placing/affinity_calls.hpp"

namespace dpm {

struct OriginalAffinity {
  std::uint32_t pid = 0, tid = 0;
  std::uint64_t began_ticks = 0;
  std::uint32_t session = 0;
  CpuSet cpus;

  friend bool operator==(const OriginalAffinity&, const OriginalAffinity&) = default;
};

struct RestoredThreads {
  std::size_t threads = 0;  // that were given back their CPUs
  std::size_t failed = 0;   // that run, and could not be

  friend bool operator==(const RestoredThreads&, const RestoredThreads&) = default;
};

class AffinityRecord {
 public:
  void add_place(CpuSet cpus) { places_.push_back(std::move(cpus)); }
  void add(const OriginalAffinity& thread) { threads_[thread.tid] = thread; }
  // What is known of this thread; nothing if it was never bound.
  const OriginalAffinity* find(std::uint32_t tid, std::uint64_t began_ticks) const;

  // What this thread may use if no scheduler had bound it, by what it may use now.
  CpuSet original_of(AffinityCalls& calls, std::uint32_t pid, std::uint32_t tid, const ThreadFacts& facts,
                     const CpuSet& now) const;

  RestoredThreads restore(AffinityCalls& calls, std::uint32_t pid) const;
  // Also processes that bound ones have started.
  RestoredThreads restore_all(AffinityCalls& calls) const;

  // For a channel that carries lines: "place 0-1", "thread 100 101 55 7 0-3".
  static std::string line_of(const CpuSet& place) { return "place " + cpu_set_text(place); }
  static std::string line_of(const OriginalAffinity& thread);
  bool add_line(std::string_view line);  // false: it is not one

 private:
  bool is_of_a_scheduler(const CpuSet& now, const CpuSet& original, const CpuSet& online) const;
  // Whose CPUs it is that the thread may use now, because a scheduler has bound it, or one that it is from. Null: those of none.
  const OriginalAffinity* source_of(std::uint32_t pid, std::uint32_t tid, const ThreadFacts& facts, const CpuSet& now,
                                    const CpuSet& online) const;
  std::map<std::uint32_t, const OriginalAffinity*> descendants(
      AffinityCalls& calls) const;  // with the bound ones, by pid
  RestoredThreads restore_once(AffinityCalls& calls, std::uint32_t pid, const OriginalAffinity* heir_of) const;

  std::vector<CpuSet> places_;
  std::map<std::uint32_t, OriginalAffinity> threads_;  // by tid
};

}  // namespace dpm
