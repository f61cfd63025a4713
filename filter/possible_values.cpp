#include "filter/possible_values.hpp"

#include <algorithm>
#include <iterator>

namespace dpm {

void PossibleValues::demand(Comparison comparison, std::uint64_t rank) {
  switch (comparison) {
    case Comparison::greater:
      if (rank >= last_)
        is_impossible_ = true;
      else
        at_least(rank + 1);
      break;
    case Comparison::less:
      if (rank == 0)
        is_impossible_ = true;
      else
        at_most(rank - 1);
      break;
    case Comparison::equal:
      at_least(rank);
      at_most(rank);
      break;
    case Comparison::not_equal:
      excluded_.insert(rank);
      break;
    case Comparison::at_least:
      at_least(rank);
      break;
    case Comparison::at_most:
      at_most(rank);
      break;
  }
}

void PossibleValues::at_least(std::uint64_t rank) { first_ = std::max(first_, rank); }
void PossibleValues::at_most(std::uint64_t rank) { last_ = std::min(last_, rank); }

bool PossibleValues::are_none() const {
  if (is_impossible_ || first_ > last_) return true;
  const auto excluded = std::distance(excluded_.lower_bound(first_), excluded_.upper_bound(last_));
  return static_cast<std::uint64_t>(excluded) > last_ - first_;
}

}  // namespace dpm
