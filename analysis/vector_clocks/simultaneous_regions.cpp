#include "analysis/vector_clocks/simultaneous_regions.hpp"

#include <algorithm>

namespace dpm {
namespace {

// The event that ends `earlier` is the one that begins `later`, or happened before it.
bool ended_before(const Region& earlier, const Region& later) {
  return earlier.end && later.begin.count_of(earlier.process()) >= earlier.end->count;
}

// In every order of the events.
bool begins_before_end(const Region& a, const Region& b) {
  return !b.end || b.end->count_of(a.process()) >= a.begin.count;
}

}  // namespace

VectorClock earliest_cut(const Region& a, const Region& b) {
  VectorClock cut;
  for (const Region* region : {&a, &b}) {
    if (region->begin.others != nullptr) cut.join(*region->begin.others);
    cut.raise(region->process(), region->begin.count);
  }
  return cut;
}

// What is asked of each b is true of all up to some b, or from some b on, because their clocks only grow. So the b that are
// possible with an a are neighbours, and so are those that are certain.
SimultaneousPairs simultaneous_pairs(std::span<const Region> as, std::span<const Region> bs) {
  SimultaneousPairs found;
  found.pairs = static_cast<std::uint64_t>(as.size()) * bs.size();
  const auto note = [&](std::size_t a, auto first, auto last, std::uint64_t& count, auto& first_pair) {
    if (first >= last) return;
    count += static_cast<std::uint64_t>(last - first);
    if (!first_pair) first_pair.emplace(a, static_cast<std::size_t>(first - bs.begin()));
  };
  for (std::size_t i = 0; i < as.size(); ++i) {
    const Region& a = as[i];
    const auto first = std::partition_point(bs.begin(), bs.end(), [&](const Region& b) { return ended_before(b, a); });
    const auto last = std::partition_point(first, bs.end(), [&](const Region& b) { return !ended_before(a, b); });
    note(i, first, last, found.possible, found.first_possible);
    const auto first_certain =
        std::partition_point(first, last, [&](const Region& b) { return !begins_before_end(a, b); });
    const auto last_certain =
        std::partition_point(first_certain, last, [&](const Region& b) { return begins_before_end(b, a); });
    note(i, first_certain, last_certain, found.certain, found.first_certain);
  }
  return found;
}

}  // namespace dpm
