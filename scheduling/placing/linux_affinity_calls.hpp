// The kernel's own: /proc and sched_setaffinity(2).
#pragma once

#include <string_view>

#include "scheduling/placing/affinity_calls.hpp"

namespace dpm {

class LinuxAffinityCalls : public AffinityCalls {
 public:
  std::vector<std::uint32_t> processes() override;
  std::vector<std::uint32_t> threads_of(std::uint32_t pid) override;
  std::optional<ThreadFacts> facts_of(std::uint32_t pid, std::uint32_t tid) override;
  std::optional<CpuSet> affinity_of(std::uint32_t tid) override;
  int set_affinity(std::uint32_t tid, const CpuSet& cpus) override;
  CpuSet online() override;
  void let_starts_end() override;
};

// From the line of /proc/PID/task/TID/stat. Nothing if it is not one.
std::optional<ThreadFacts> parse_thread_facts(std::string_view stat);

}  // namespace dpm
