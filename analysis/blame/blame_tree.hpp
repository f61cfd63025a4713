// A divided time, with what it is the time of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/blame/blame.hpp"
#include "model/share.hpp"

namespace dpm {

struct BlameTree {
  BlameNode root;
  std::string what;  // "request 3 of client"
  bool is_measured = true;
  std::uint64_t samples = 0;  // how many it is estimated from; 0: it is not estimated

  // Of the whole; at least 1, so that it can be divided by.
  std::int64_t whole_ns() const;
  // For which its samples stand, as a share of the whole.
  double covered() const;
  // Of an estimated time, as a share of the whole. What was not sampled is not estimated: in the whole, it is as long as it is.
  Share estimate(std::int64_t time_ns) const;
  // The same, or nothing where the time is not an estimate: the tree is exact, or the time is that of `not_sampled`.
  std::optional<Share> interval_of(std::int64_t time_ns, std::optional<BlamePart> part = {}) const;
};

}  // namespace dpm
