// Answers of several that a process goes on after, by their number and not by their senders:
//
//   searcher   o ask A   o ask B   o ask C   o answer of B   o answer of A   o merge      o answer of C
//
// It goes on when two of them are there, whichever they are. In arrival order the merging would move with the answer that was
// second in the trace. In a replay in role order the k-th of these RECEIVEs takes the k-th answer. Which answers belong together
// is found by analysis/behaviour/gather_finder.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/history/history.hpp"

namespace dpm {

class Gathers {
 public:
  // RECEIVEs in the order of the trace.
  void add(std::vector<std::uint32_t> receives) {
    for (const std::uint32_t receive : receives) of_.emplace_back(receive, gatherings_.size());
    gatherings_.push_back(std::move(receives));
  }
  // The trace ends before all that were asked have answered. One that is missing might have come before the last one `needed`.
  struct CutOff {
    std::size_t gathering = 0, needed = 0, missing = 0;
    std::uint32_t asked = 0;  // the last SEND
  };
  void add_cut_off(const CutOff& cut_off) { cut_off_.push_back(cut_off); }
  const std::vector<CutOff>& cut_off() const { return cut_off_; }
  // Call after the last add().
  void finish() { std::sort(of_.begin(), of_.end()); }

  bool empty() const { return gatherings_.empty(); }
  std::size_t size() const { return gatherings_.size(); }
  // The gathering that a RECEIVE belongs to.
  std::optional<std::size_t> of(std::uint32_t receive) const {
    const auto found = std::lower_bound(of_.begin(), of_.end(), std::pair(receive, std::size_t{0}));
    if (found == of_.end() || found->first != receive) return std::nullopt;
    return found->second;
  }
  std::uint32_t receive_at(std::size_t gathering, std::size_t k) const { return gatherings_[gathering].at(k); }
  std::size_t answers(std::size_t gathering) const { return gatherings_[gathering].size(); }

 private:
  std::vector<std::vector<std::uint32_t>> gatherings_;
  std::vector<std::pair<std::uint32_t, std::size_t>> of_;  // by RECEIVE
  std::vector<CutOff> cut_off_;
};

}  // namespace dpm
