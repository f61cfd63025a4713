// Divides time by samples, of traces that do not have the times of waiting.
//
// At each instant the messages say which process is waited for, and the samples what the last of them did.
//
//     client     ──SEND──RECEIVECALL▒▒▒▒▒▒▒▒▒▒▒▒▒▒RECEIVE──     found waiting for a message; the trace says: of server
//     server     ─────────────────────────────SEND──            found in the queue of a CPU
//                                     │
//                                     the sample belongs to "waits for server", "run-queue wait"
//
// So each sample belongs to one part of the tree. The number of samples in a part is binomial, if they are independent.
//
// A sample stands for the time around it. Where none was taken for several intervals, because the sampler began later, ended earlier or
// was held up, the time is `not_sampled`: what the process did then is not known, and the samples do not stand for it.
#pragma once

#include <cstdint>
#include <span>

#include "analysis/blame/blame_node.hpp"
#include "analysis/blame/process_line.hpp"
#include "analysis/blame/sampled_states.hpp"
#include "analysis/blame/waiting_chain.hpp"

namespace dpm {

// Each part has its share of the samples, and `times` of a wait is how many found it.
struct SampledBlame {
  BlameNode root;
  std::uint64_t samples = 0;  // in the interval; 0: nothing is divided
  std::int64_t covered_ns() const { return root.total_ns() - root.of(BlamePart::not_sampled); }
};

class SampledDivision {
 public:
  // Both must live as long as this. `states` on the axis of the lines.
  SampledDivision(std::span<const ProcessLine> lines, const SampledStates& states, std::uint32_t depth_max)
      : lines_(lines), states_(states), depth_max_(depth_max) {}

  // The waits are not sorted.
  SampledBlame divide(ProcessId process, BlameInterval interval) const;

 private:
  struct Instant {
    std::size_t sample = 0;
    std::int64_t weight_ns = 0;  // the time that the sample stands for
  };
  // The time of the interval for which its samples, the first of them `first`, stand.
  std::int64_t covered_ns(BlameInterval interval, std::size_t first, std::uint64_t samples) const;
  void look(BlameNode& node, const Instant& instant, const WaitingChain& waiting) const;
  const ProcessGap* gap_at(ProcessId process, std::int64_t at_ns) const;

  std::span<const ProcessLine> lines_;
  const SampledStates& states_;
  std::uint32_t depth_max_;
};

}  // namespace dpm
