// What a count array says (S4 3.1 and 4.4).
//
//   utilisation  the share of samples in which a thread runs on the resource
//   overlap      the share in which all resources of a set are run on at once
//   bottleneck   the share in which the resource is run on or queued for
//   component    the share of the time of threads that a group of states takes
#pragma once

#include <span>
#include <vector>

#include "model/share.hpp"
#include "sampling/counts/count_array.hpp"
#include "sampling/counts/state_groups.hpp"

namespace dpm::sampling {

struct ResourceUse {
  Resource resource = Resource::cpu;
  Share utilisation, queueing, bottleneck;
};
// Those that occur, the greatest bottleneck first.
std::vector<ResourceUse> resource_uses(const WordCounts& words);
Share overlap(const WordCounts& words, std::span<const Resource> resources);

struct ResourcePair {
  Resource one = Resource::cpu, other = Resource::cpu;
  Share share;
};
// Pairs that are run on at once in some sample, the most frequent first.
std::vector<ResourcePair> overlapping_pairs(const WordCounts& words);

struct Component {
  std::string name;
  Share share;              // of the samples of threads; its interval is that of the instants, not of the threads
  std::uint64_t count = 0;  // samples of threads
};
// In the order of the groups, and "unrecognised" at the end if there is any.
std::vector<Component> components(const StateCounts& counts, std::span<const StateGroup> groups);

}  // namespace dpm::sampling
