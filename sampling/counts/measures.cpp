#include "sampling/counts/measures.hpp"

#include <algorithm>

namespace dpm::sampling {
namespace {

template <typename Test>
Share share_where(const WordCounts& words, Test test) {
  std::uint64_t hits = 0, samples = 0;
  for (const auto& [word, count] : words) {
    samples += count;
    if (test(word)) hits += count;
  }
  return share_of(hits, samples);
}

}  // namespace

std::vector<ResourceUse> resource_uses(const WordCounts& words) {
  std::vector<ResourceUse> uses;
  for (std::size_t i = 0; i < kResources; ++i) {
    const auto resource = static_cast<Resource>(i);
    const ResourceUse use{
        resource, share_where(words, [&](Stateword word) { return word.runs_on(resource); }),
        share_where(words, [&](Stateword word) { return word.queues_for(resource); }),
        share_where(words, [&](Stateword word) { return word.runs_on(resource) || word.queues_for(resource); })};
    if (use.bottleneck.hits > 0) uses.push_back(use);
  }
  std::stable_sort(uses.begin(), uses.end(),
                   [](const auto& a, const auto& b) { return a.bottleneck.hits > b.bottleneck.hits; });
  return uses;
}

Share overlap(const WordCounts& words, std::span<const Resource> resources) {
  return share_where(words, [&](Stateword word) {
    return std::all_of(resources.begin(), resources.end(), [&](Resource resource) { return word.runs_on(resource); });
  });
}

std::vector<ResourcePair> overlapping_pairs(const WordCounts& words) {
  std::vector<ResourcePair> pairs;
  for (std::size_t i = 0; i < kResources; ++i) {
    for (std::size_t j = i + 1; j < kResources; ++j) {
      const std::array both = {static_cast<Resource>(i), static_cast<Resource>(j)};
      const Share share = overlap(words, both);
      if (share.hits > 0) pairs.push_back({both[0], both[1], share});
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto& a, const auto& b) { return a.share.hits > b.share.hits; });
  return pairs;
}

std::vector<Component> components(const StateCounts& counts, std::span<const StateGroup> groups) {
  const std::uint64_t threads = counts.threads();
  const auto component = [&](const std::string& name, std::uint64_t count) {
    const double value = threads == 0 ? 0 : static_cast<double>(count) / static_cast<double>(threads);
    return Component{name, mean_share(value, threads == 0 ? 0 : counts.samples), count};
  };
  std::vector<Component> all;
  for (const auto& group : groups) {
    std::uint64_t count = 0;
    for (const State state : group.states) count += counts.states[static_cast<std::size_t>(state)];
    all.push_back(component(group.name, count));
  }
  if (counts.unrecognised > 0) all.push_back(component(std::string(kUnrecognisedGroup), counts.unrecognised));
  return all;
}

}  // namespace dpm::sampling
