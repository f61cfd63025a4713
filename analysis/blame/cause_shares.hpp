// Names what a trace knows of a process's waits as sums over its whole life: which program had the CPU, which released a lock or sent a
// signal, and how long it waited for times that it chose.
//
// A part of that life is divided in the same proportions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/blame/blame_node.hpp"
#include "analysis/blame/process_line.hpp"
#include "model/wait_cause.hpp"

namespace dpm {

class CauseShares {
 public:
  // `lines` must live as long as this.
  CauseShares(std::span<const ProcessLine> lines, std::span<const WaitCause> causes);

  // In the node and all below it. What the causes leave of a part stays as it is.
  void name_in(BlameNode& node) const;

 private:
  std::int64_t sum_ns(ProcessId process, bool of_cpu) const;

  std::span<const ProcessLine> lines_;
  std::vector<std::vector<WaitCause>> causes_;  // by process
};

}  // namespace dpm
