// Samples the states of a selection's threads: from /proc, or from a table of all threads that another source fills.
//
// What it needs is the right to look into the processes: the same user, or root. It changes nothing in them.
//
// The reads of /proc for one sample take some microseconds for each thread and are not one instant: states of two threads may be
// from before and after a message between them. The monitor itself is not sampled.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/result.hpp"
#include "sampling/counts/count_array.hpp"
#include "sampling/proc/cpu_quotas.hpp"
#include "sampling/proc/sampled_process.hpp"
#include "sampling/proc/selection.hpp"
#include "sampling/proc/task_table.hpp"
#include "sampling/states/throttling.hpp"

namespace dpm::sampling {

class ProcSampler {
 public:
  explicit ProcSampler(Selection selection, std::unique_ptr<TaskLooker> looker = nullptr);

  // One sample. Threads that have ended since the last one are not in it. False: the kernel did not answer.
  bool take(CountArray& counts);
  // The last one, with each thread; empty before the first.
  const Sample& last() const { return last_; }

  // Asked at each sample for its level of Workload::requests, or kNoLevel.
  void count_requests(std::function<std::uint32_t()> level) { requests_ = std::move(level); }

  // All processes of a selection that can gain none have ended.
  bool is_over() const;
  std::size_t processes() const { return processes_.size(); }
  std::vector<std::uint32_t> process_ids() const;
  std::size_t threads() const { return threads_; }

 private:
  struct Group {                    // of threads, with what the sample found
    std::uint32_t virtual_process;  // its index in this sample
    std::uint32_t number;           // and its number, which stays
    bool in_foreground;
    std::string quota_folder;
    std::vector<SampledThread*> threads;
  };

  bool look_at_tasks(SamplerAccount& account);
  // True if the table does not say yet where the threads of a new member wait.
  bool find_members();
  bool is_looked_into(std::uint32_t pid, const std::set<std::uint32_t>& found) const;
  std::vector<std::uint32_t> candidates_now() const;
  std::optional<StatLine> stat_of(std::uint32_t pid) const;
  bool is_member(std::uint32_t pid) const;
  bool examine(std::uint32_t pid);
  void look_at_members(Sample& sample, SamplerAccount& account);
  void add_group(SampledProcess& process, std::vector<SampledThread*> threads);
  void add_ending(const StatLine& stat, std::size_t threads, Sample& sample);
  void add_threads(Sample& sample, CountArray& counts);
  void add_counters(SampledThread& thread, Sample& sample);
  void split_throttled(std::vector<RunnableThread>& runnable, const std::vector<const std::string*>& quota_folders);
  void set_levels(Sample& sample);
  std::uint32_t virtual_process(const StatLine& stat);
  bool descriptors_left() const;

  Selection selection_;
  std::unique_ptr<TaskLooker> looker_;  // null: from /proc
  TaskTable tasks_;                     // of this sample, if there is a looker
  DescriptorLookup descriptors_;
  CpuQuotas quotas_;
  ProcFile load_{"/proc/loadavg", true};
  std::string buffer_;
  std::map<std::uint32_t, SampledProcess> processes_;        // by pid
  std::unordered_map<std::uint32_t, std::uint64_t> others_;  // by pid: when it was last seen not to be selected
  std::map<std::string, Throttling> throttling_;             // by folder
  std::vector<Group> groups_;
  std::map<std::uint32_t, std::uint32_t> virtual_processes_;  // of this sample: from the selection's number to an index
  std::map<std::uint32_t, std::uint64_t> last_ran_ns_;        // by the selection's number
  std::function<std::uint32_t()> requests_;
  Sample last_;
  std::uint64_t samples_ = 0, now_ns_ = 0, last_ns_ = 0;  // on the clock that processes begin by
  std::size_t threads_ = 0, descriptors_most_ = 0;
  std::uint32_t own_pid_;
};

}  // namespace dpm::sampling
