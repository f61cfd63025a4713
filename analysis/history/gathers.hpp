// Answers that a process has asked several others for and takes one directly after the other:
//
//   searcher   o ask A   o ask B   o ask C   o answer of B   o answer of A   o answer of C   o merge
//
// It goes on when the last of them is there, whichever that is. In arrival order the merging would move with the answer that
// was last in the trace, and begin too early where another one is last. In a replay in role order the k-th of these RECEIVEs
// takes the k-th answer. What the process does between two answers must not be a message.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/history/history.hpp"

namespace dpm {

class Gathers {
 public:
  // Answers of several to one process, of whom each was sent something directly before and answers once; at least four times.
  // Processes that are `settled` go on by another rule.
  Gathers(const History& history, const std::vector<bool>& settled);

  bool empty() const { return ranges_.empty(); }
  std::size_t size() const { return ranges_.size(); }
  // The gathering that a RECEIVE belongs to, and its first RECEIVE.
  std::optional<std::size_t> of(std::uint32_t receive) const;
  std::uint32_t first_of(std::size_t gathering) const { return ranges_[gathering].first; }
  // How often process `p` gathers answers.
  std::size_t times_of(std::uint32_t p) const { return times_[p]; }

 private:
  struct Range {
    std::uint32_t first = 0, end = 0;  // events
  };
  std::vector<Range> ranges_;       // by increasing event
  std::vector<std::size_t> times_;  // by process
};

}  // namespace dpm
