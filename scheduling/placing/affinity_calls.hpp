// What the placing of processes asks of the kernel. Tests have threads of their own.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scheduling/placing/cpu_set.hpp"

namespace dpm {

struct ThreadFacts {
  std::uint32_t parent_pid = 0;  // of its process
  std::uint32_t session = 0;
  std::uint64_t began_ticks = 0;  // since boot: tells the thread from another with its number
  int cpu = -1;                   // on which it ran last
  bool has_ended = false;         // it waits to be reaped

  friend bool operator==(const ThreadFacts&, const ThreadFacts&) = default;
};

class AffinityCalls {
 public:
  virtual ~AffinityCalls() = default;

  virtual std::vector<std::uint32_t> processes() = 0;
  virtual std::vector<std::uint32_t> threads_of(std::uint32_t pid) = 0;                   // none: it is gone
  virtual std::optional<ThreadFacts> facts_of(std::uint32_t pid, std::uint32_t tid) = 0;  // nothing: ended
  virtual std::optional<CpuSet> affinity_of(std::uint32_t tid) = 0;                       // nothing: ended
  virtual int set_affinity(std::uint32_t tid, const CpuSet& cpus) = 0;                    // 0, or an errno
  virtual CpuSet online() = 0;
  // Waits as long as a fork(2) or clone(2) that has begun may take to show its new thread.
  virtual void let_starts_end() = 0;
};

}  // namespace dpm
