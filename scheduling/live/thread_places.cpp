#include "scheduling/live/thread_places.hpp"

#include <algorithm>
#include <numeric>

namespace dpm {

void ThreadPlaces::saw(ProcessId thread, MachineId place) {
  if (threads_.size() <= thread.value) threads_.resize(thread.value + 1);
  auto& looks = threads_[thread.value];
  if (looks.size() <= place.value) looks.resize(place.value + std::size_t{1});
  ++looks[place.value];
  if (std::accumulate(looks.begin(), looks.end(), 0u) > kLooksMost)
    for (std::uint32_t& count : looks) count /= 2;
}

MachineId ThreadPlaces::of(ProcessId thread) const {
  if (thread.value >= threads_.size() || threads_[thread.value].empty()) return {};
  const auto& looks = threads_[thread.value];
  return {static_cast<std::uint16_t>(std::max_element(looks.begin(), looks.end()) - looks.begin())};
}

}  // namespace dpm
