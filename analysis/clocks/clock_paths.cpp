#include "analysis/clocks/clock_paths.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/clocks/clock_reading.hpp"

namespace dpm {

Bounds drift_of(const ClockPair& pair, MachineId from) {
  if (pair.pieces.empty()) return {};
  // Of several pieces the longest gives the best estimate.
  const auto longest = std::max_element(pair.pieces.begin(), pair.pieces.end(), [](const auto& x, const auto& y) {
    return x.to.ns - x.from.ns < y.to.ns - y.from.ns;
  });
  const Bounds drift = longest->bounds.drift();
  if (from == pair.a) return drift;
  const auto turned = [](double rate) { return 1 / (1 + rate) - 1; };
  const Bounds unknown;
  // A drift beyond -1 means a clock that runs backwards: then the bounds are open.
  return {std::isfinite(drift.high) && drift.high > -1 ? turned(drift.high) : unknown.low,
          std::isfinite(drift.low) && drift.low > -1 ? turned(drift.low) : unknown.high};
}

ClockPaths::ClockPaths(std::span<const ClockPair> pairs, std::size_t machines, MachineId from, LocalTime at)
    : at_(at), reached_(machines) {
  reached_.at(from.value).reached = true;
  reached_.at(from.value).offset.more = {0, 0};
  for (;;) {
    Reached* next = nullptr;
    for (Reached& place : reached_) {
      const bool is_better = next == nullptr || place.offset.more.width() < next->offset.more.width();
      if (place.reached && !place.done && is_better) next = &place;
    }
    if (next == nullptr) return;
    next->done = true;
    const MachineId here{static_cast<std::uint16_t>(next - reached_.data())};
    for (const ClockPair& pair : pairs) {
      if (pair.a == here) extend(pair, here, pair.b);
      if (pair.b == here) extend(pair, here, pair.a);
    }
  }
}

// The relation is monotonic, so the ends of the bounds map to the ends of the bounds.
void ClockPaths::extend(const ClockPair& pair, MachineId from, MachineId to) {
  const Reached& here = reached_[from.value];
  Reached& there = reached_.at(to.value);
  if (there.done) return;
  const auto onward = [&](double more) {
    return Clocks::offset_of(pair, from, clock_reading_ns(at_.ns, here.offset.base_ns, more));
  };
  const ClockOffset low = onward(here.offset.more.low), high = onward(here.offset.more.high);
  if (!std::isfinite(low.more.low) || !std::isfinite(high.more.high)) return;
  ClockOffset offset{clock_reading_ns(here.offset.base_ns, low.base_ns, 0), {here.offset.more.low + low.more.low, 0}};
  offset.more.high =
      here.offset.more.high + high.more.high + static_cast<double>(clock_reading_ns(high.base_ns, -low.base_ns, 0));
  if (there.reached && there.offset.more.width() <= offset.more.width()) return;
  const Bounds step = drift_of(pair, from);
  there.reached = true;
  there.offset = offset;
  there.drift = {(1 + here.drift.low) * (1 + step.low) - 1, (1 + here.drift.high) * (1 + step.high) - 1};
  there.previous = from;
}

std::vector<MachineId> ClockPaths::via(MachineId machine) const {
  std::vector<MachineId> path;
  for (MachineId at = previous(machine); !at.is_none() && !previous(at).is_none(); at = previous(at))
    path.push_back(at);
  std::reverse(path.begin(), path.end());
  return path;
}

ClockRelation relation_between(const Clocks& clocks, const ClockPaths& paths, MachineId a, MachineId b) {
  ClockRelation relation{a, b, 0, 0, paths.at(), {}, {}, {}};
  if (const ClockPair* pair = clocks.pair_of(a, b)) {
    relation.messages_from_a = pair->messages_from_a;
    relation.messages_from_b = pair->messages_from_b;
    if (!pair->pieces.empty()) {
      // In the middle of the period of their own messages.
      const LocalTime from = pair->pieces.front().from, to = pair->pieces.back().to;
      const LocalTime middle{from.ns + (to.ns - from.ns) / 2};
      const ClockOffset own = Clocks::offset_of(*pair, a, middle.ns);
      if (own.more.has_both() || !paths.reaches(b)) {
        relation.at = middle;
        relation.offset = own;
        relation.drift = drift_of(*pair, a);
        return relation;
      }
    }
  }
  if (!paths.reaches(b)) return relation;
  relation.offset = paths.offset(b);
  relation.drift = paths.drift(b);
  relation.via = paths.via(b);
  return relation;
}

}  // namespace dpm
