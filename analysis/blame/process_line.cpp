#include "analysis/blame/process_line.hpp"

#include <algorithm>

namespace dpm {

std::int64_t ProcessGap::busy_until(std::int64_t at_ns) const {
  return at_ns - from_ns - (at_ns > idle_from_ns ? std::min(at_ns, idle_to_ns) - idle_from_ns : 0);
}

const ProcessGap* ProcessLine::gap_at(std::int64_t at_ns) const {
  const auto gap =
      std::partition_point(gaps.begin(), gaps.end(), [&](const ProcessGap& earlier) { return earlier.to_ns <= at_ns; });
  return gap == gaps.end() || gap->from_ns > at_ns ? nullptr : &*gap;
}

__extension__ using Wide = __int128;  // products of two times

std::int64_t share_until(std::int64_t amount, std::int64_t at, std::int64_t whole) {
  if (whole == 0) return 0;
  return static_cast<std::int64_t>(static_cast<Wide>(amount) * at / whole);
}

}  // namespace dpm
