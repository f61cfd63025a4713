// Appendix A of the thesis, read literally: the sweep over slices of time with its records and lists, then the longest
// path with the new weights. Slow, and as close to the listing as C++ allows; the names are the listing's.
//
// Differences, each forced:
//   - Every process begins with a node of its own at time 0 (the thesis's initial node), so that CPU time before its
//   first event
//     has an arc.
//   - `p.curr := NextNode(p.curr)` stands inside the test base = curr.
//   - A message's delay is at least what is left of the one before it to the same process: messages do not overtake.
#pragma once

#include <cstdint>

#include "analysis/history/history.hpp"
#include "analysis/history/target.hpp"

namespace dpm::test {

std::int64_t literal_appendix_a_ns(const History& history, const Target& target);

}  // namespace dpm::test
