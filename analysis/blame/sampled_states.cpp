#include "analysis/blame/sampled_states.hpp"

#include <algorithm>
#include <iterator>

#include "model/check.hpp"

namespace dpm {

void SampledStates::set(ProcessId process, SampledState state, std::int64_t seen_ns) {
  DPM_CHECK(!times_ns_.empty());
  if (process.value >= changes_.size()) changes_.resize(process.value + 1u);
  auto& changes = changes_[process.value];
  const std::size_t sample = times_ns_.size() - 1;
  if (!changes.empty() && changes.back().sample == sample) changes.pop_back();
  changes.push_back({sample, {state, seen_ns}});
}

SampledStates::Look SampledStates::at(ProcessId process, std::size_t sample) const {
  Look look{SampledState::none, times_ns_[sample]};
  if (process.value >= changes_.size()) return look;
  const auto& changes = changes_[process.value];
  const auto after = std::partition_point(changes.begin(), changes.end(),
                                          [&](const Change& change) { return change.sample <= sample; });
  if (after == changes.begin()) return look;
  const Change& last = *std::prev(after);
  // What has not changed since was so at the sample, too.
  return last.sample == sample ? last.look : Look{last.look.state, look.seen_ns};
}

}  // namespace dpm
