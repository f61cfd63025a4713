// The count array of MON (S4 4.4, figure 4.2): for each level of workload, how often each state was found; and, for the
// measures that MON left open (S4 3.1), how often each stateword of a virtual process was.
//
//   by_workload[users]  level 1 ──► samples, cpu_run 310, cpu_queue 42, ...   statewords of system: {cpu run} 204, ...
//                       level 2 ──► ...
//   by_workload[awake]  ...          the same samples, by another measure of the workload
//
// The number of possible statewords is 4^resources, that of those which a system takes is small. They are kept as found, so
// that the overlap of any set of resources can be asked for later.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"
#include "sampling/states/stateword.hpp"
#include "sampling/states/system_calls.hpp"

namespace dpm::sampling {

// What the load of the system is measured by.
enum class Workload : std::uint8_t {
  users,     // virtual processes of which a thread ran in the last five minutes
  awake,     // virtual processes that run on or queue for a CPU, a disk or memory
  runnable,  // tasks of the whole machine that run or queue for a CPU
  requests,  // that a metered server got in the last second: level_of_rate() of them
};
inline constexpr std::size_t kWorkloads = 4;
// Of a sample for which a workload is not known.
inline constexpr std::uint32_t kNoLevel = UINT32_MAX;
// 0, 1, 2, 5, 10, 20, 50, ...: the largest that is not above the rate. Rates are seldom twice the same.
std::uint32_t level_of_rate(double per_second);
std::string_view name_of(Workload workload);

// Whose statewords: those of each virtual process, of its foreground or background part; or all of them together.
enum class Scope : std::uint8_t { foreground, background, together, system };
inline constexpr std::size_t kScopes = 4;
std::string_view name_of(Scope scope);

using WordCounts = std::map<Stateword, std::uint64_t>;

// How often threads were found in each state.
struct StateCounts {
  std::uint64_t samples = 0;  // instants; of a part of the threads, those with such a thread
  std::array<std::uint64_t, kStates> states = {};
  std::uint64_t unrecognised = 0;  // threads whose state no rule knows

  std::uint64_t threads() const;  // all samples of threads, with those that were not recognised
  void add(const StateCounts& other);
  friend bool operator==(const StateCounts&, const StateCounts&) = default;
};

// The counts of all threads, and of those of the foreground and background.
struct LevelCounts : StateCounts {
  StateCounts foreground, background;
  std::array<WordCounts, kScopes> words;
  // Exact, from the scheduler: how long the threads ran and queued, and how long they were watched.
  std::uint64_t ran_ns = 0, waited_ns = 0, watched_ns = 0;

  // Of the threads of a scope; together and system have all.
  const StateCounts& of(Scope scope) const;
  void add(const LevelCounts& other);
  friend bool operator==(const LevelCounts&, const LevelCounts&) = default;
};

// How well the sampler kept its times, and what it cost.
struct SamplerAccount {
  std::uint64_t late = 0;    // samples that began more than a tenth of the interval after their time
  std::uint64_t missed = 0;  // times that passed while the sampler waited for a CPU, or worked
  std::uint64_t delay_sum_ns = 0, delay_most_ns = 0;
  std::uint64_t cpu_ns = 0, elapsed_ns = 0;
  std::uint64_t unreadable = 0;  // samples of threads that we may not look into

  void add(const SamplerAccount& other);
  friend bool operator==(const SamplerAccount&, const SamplerAccount&) = default;
};

inline constexpr std::string_view kProcSource = "proc", kIteratorSource = "task-iterator", kTraceSource = "trace";
inline constexpr std::array kSources = {kProcSource, kIteratorSource, kTraceSource};

// What must be the same in arrays that are added.
struct SamplingSetup {
  std::string source;  // where the states come from: one of kSources
  std::uint64_t interval_ns = 0;
  std::uint32_t cores = 0;
  std::string machine, kernel, selection;

  friend bool operator==(const SamplingSetup&, const SamplingSetup&) = default;
};

// A thread at a sample.
struct ThreadSample {
  State state = State::cpu_run;
  bool recognised = true;
  bool in_foreground = false;
  std::uint32_t virtual_process = 0;  // an index below Sample::virtual_processes
  // Which thread it is: its number, with its beginning as /proc has it; 0: not told.
  std::uint32_t thread = 0;
  std::uint64_t start_ticks = 0;
  std::int64_t seen_ns = 0;  // on the clock that is never set
  bool waits_still = false;  // where it waited at the last sample, without a turn on a CPU since
  bool is_bad = false;       // SampledThread::is_bad()
  SystemCall call;           // in which it waits, where that is known
};

struct Sample {
  std::array<std::uint32_t, kWorkloads> levels = {0, 0, 0, kNoLevel};
  std::uint32_t virtual_processes = 0;
  std::vector<ThreadSample> threads;
  std::uint64_t ran_ns = 0, waited_ns = 0, watched_ns = 0;  // of all threads, since the last sample
};

class CountArray {
 public:
  explicit CountArray(SamplingSetup setup) : setup_(std::move(setup)) {}

  void add(const Sample& sample);
  void add_unrecognised(const std::string& evidence, std::uint64_t times = 1);
  // Refused if the two do not fit: another source, interval or number of cores.
  Result<void> merge(const CountArray& other);

  const SamplingSetup& setup() const { return setup_; }
  SamplerAccount& account() { return account_; }
  const SamplerAccount& account() const { return account_; }
  using Levels = std::map<std::uint32_t, LevelCounts>;
  Levels& levels(Workload workload) { return levels_[static_cast<std::size_t>(workload)]; }
  const Levels& levels(Workload workload) const { return levels_[static_cast<std::size_t>(workload)]; }
  LevelCounts total() const;
  const std::map<std::string, std::uint64_t>& unrecognised() const { return unrecognised_; }

  friend bool operator==(const CountArray&, const CountArray&) = default;

 private:
  SamplingSetup setup_;
  SamplerAccount account_;
  std::array<Levels, kWorkloads> levels_;
  std::map<std::string, std::uint64_t> unrecognised_;  // by evidence; at most kMostEvidence kinds
};

inline constexpr std::size_t kMostEvidence = 200;
inline const std::string kOtherEvidence = "other";

}  // namespace dpm::sampling
