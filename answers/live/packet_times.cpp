#include "answers/live/packet_times.hpp"

#include <algorithm>

namespace dpm::cli {

void PacketTimes::add(const PacketPlace& place, std::span<const Event> batch) {
  if (batch.empty()) return;
  const auto [first, last] = std::minmax_element(
      batch.begin(), batch.end(), [](const Event& a, const Event& b) { return a.local_time < b.local_time; });
  if (place.stream >= streams_.size()) streams_.resize(place.stream + 1u);
  streams_[place.stream].push_back({place, batch.front().machine, first->local_time, last->local_time, batch.size()});
  if (++places_ > places_max_) halve();
}

void PacketTimes::halve() {
  places_ = 0;
  for (auto& stream : streams_) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < stream.size(); i += 2) {
      Entry both = stream[i];
      if (i + 1 < stream.size()) {
        const Entry& next = stream[i + 1];
        both.place.last = next.place.last;
        both.begin = std::min(both.begin, next.begin);
        both.end = std::max(both.end, next.end);
        both.events += next.events;
      }
      stream[kept++] = both;
    }
    stream.resize(kept);
    places_ += kept;
  }
}

PacketTimes::Found PacketTimes::find(RunTime from, RunTime to, const MachineOffsets& offsets) const {
  Found found;
  for (const auto& stream : streams_) {
    for (const Entry& entry : stream) {
      if (!offsets.has(entry.machine)) continue;
      const bool is_before = offsets.run_time(entry.machine, entry.end) < from;
      if (is_before || offsets.run_time(entry.machine, entry.begin) >= to) continue;
      found.places.push_back(entry.place);
      found.events += entry.events;
    }
  }
  return found;
}

}  // namespace dpm::cli
