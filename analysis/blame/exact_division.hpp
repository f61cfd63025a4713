// Divides time by what the events say of it, to the nanosecond.
#pragma once

#include <cstdint>
#include <span>

#include "analysis/blame/blame_node.hpp"
#include "analysis/blame/cpu_contention.hpp"
#include "analysis/blame/process_line.hpp"
#include "analysis/blame/waiting_chain.hpp"

namespace dpm {

class ExactDivision {
 public:
  // Both must live as long as this.
  ExactDivision(std::span<const ProcessLine> lines, const CpuContention& contention, std::uint32_t depth_max)
      : lines_(lines), contention_(contention), depth_max_(depth_max) {}

  // The waits are not sorted.
  BlameNode divide(ProcessId process, BlameInterval interval) const;

 private:
  void add(BlameNode& node, BlameInterval interval, const WaitingChain& waiting) const;
  void add_idle(BlameNode& node, const ProcessGap& gap, BlameInterval idle, const WaitingChain& waiting) const;
  void add_busy(BlameNode& node, const ProcessGap& gap, MachineId machine, BlameInterval part) const;
  // How much of the gap's time in the CPU's queue is before `at_ns`.
  std::int64_t queued_until(const ProcessGap& gap, MachineId machine, std::int64_t at_ns) const;

  std::span<const ProcessLine> lines_;
  const CpuContention& contention_;
  std::uint32_t depth_max_;
};

}  // namespace dpm
