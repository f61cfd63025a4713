// Which of a cgroup's queueing threads wait because its CPU quota is used up.
//
// The kernel counts that time per cgroup, summed over CPUs, in lumps: at the end of each wait, which may be many samples long.
// So the time that is counted at one sample is owed, and is given to the samples that follow, a mean interval of samples each, until it
// is spent: over a run, throttled samples have the time that the kernel counted, less what is owed at the end, which is a
// period of the quota at most.
//
// On a CPU where the cgroup is throttled, all its threads wait, and none runs.
#pragma once

#include <cstdint>
#include <span>

#include "sampling/states/cpu_split.hpp"

namespace dpm::sampling {

class Throttling {
 public:
  // At each sample, before split(): the kernel's count has grown by this.
  void owe(std::uint64_t throttled_ns, std::uint64_t now_ns);
  // The cgroup's threads after split_cpu(). `elapsed_ns`: since the last sample.
  void split(std::span<RunnableThread* const> threads, std::uint64_t elapsed_ns, std::uint64_t now_ns);

 private:
  double owed_ns_ = 0;
  double elapsed_ns_ = 0;  // in all `samples_`
  std::uint64_t samples_ = 0;
  std::uint64_t spent_at_ns_ = 0;  // the last time that some was, or that nothing was owed
};

}  // namespace dpm::sampling
