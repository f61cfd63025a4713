#include "analysis/clocks/clocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "analysis/clocks/clock_paths.hpp"
#include "analysis/clocks/clock_reading.hpp"
#include "model/check.hpp"

namespace dpm {
namespace {

constexpr std::size_t kPiecesMax = 100;    // of one pair: with more, its clocks are useless
constexpr std::size_t kChunkPoints = 512;  // kept per side before only the hull is kept

// Of every kChunkPoints neighbours in time, keeps only the points that can matter.
void thin(std::vector<ClockPoint>& points, bool keep_low) {
  std::sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.at_ns < b.at_ns; });
  std::vector<ClockPoint> kept;
  for (std::size_t from = 0; from < points.size(); from += kChunkPoints) {
    const auto chunk = std::span(points).subspan(from, std::min(kChunkPoints, points.size() - from));
    const auto hull = hull_points(chunk, keep_low);
    kept.insert(kept.end(), hull.begin(), hull.end());
  }
  points = std::move(kept);
}

struct SidedPoint {
  ClockPoint point;
  bool from_a = false;  // not above; otherwise not below
};

ClockBounds bounds_of(std::span<const SidedPoint> points) {
  std::vector<ClockPoint> not_above, not_below;
  for (const SidedPoint& sided : points) (sided.from_a ? not_above : not_below).push_back(sided.point);
  return {not_above, not_below};
}

// How many of the points, which are ordered by time, fit two even clocks: found by doubling, then halving.
std::size_t longest_possible(std::span<const SidedPoint> points) {
  if (bounds_of(points).is_possible()) return points.size();
  std::size_t possible = 1, impossible = 2;
  while (impossible < points.size() && bounds_of(points.first(impossible)).is_possible()) {
    possible = impossible;
    impossible *= 2;
  }
  impossible = std::min(impossible, points.size());
  while (impossible - possible > 1) {
    const std::size_t middle = (possible + impossible) / 2;
    (bounds_of(points.first(middle)).is_possible() ? possible : impossible) = middle;
  }
  return possible;
}

Event event_of(const SeenEnd& end) {
  Event event;
  event.local_time = end.time;
  event.sequence = end.sequence;
  event.process = end.process;
  event.peer = end.peer;
  event.channel = end.channel;
  event.length_bytes = end.length_bytes;
  event.machine = end.machine;
  event.type = end.type;
  event.evidence = end.evidence;
  return event;
}

}  // namespace

void ClockAnalysis::note_time(const Event& event) {
  if (event.machine.value >= machines_.size()) machines_.resize(info_->machines.size());
  if (event.machine.value >= machines_.size()) return;
  Machine& machine = machines_[event.machine.value];
  const std::int64_t now = event.local_time.ns;
  if (!machine.seen) machine = {true, now, now, 0};
  if (machine.tick_ns != 1)
    machine.tick_ns = std::gcd(machine.tick_ns, static_cast<std::uint64_t>(std::abs(now - machine.first_ns)));
  machine.first_ns = std::min(machine.first_ns, now);
  machine.last_ns = std::max(machine.last_ns, now);
}

void ClockAnalysis::note(const MessagePair& pair) {
  const MachineId from = pair.sent.machine, to = pair.received.machine;
  if (from == to || from.is_none() || to.is_none()) return;
  if (pair.sent.evidence != Evidence::observed || pair.received.evidence != Evidence::observed) return;
  Points& points = points_[{std::min(from, to), std::max(from, to)}];
  const std::int64_t sent = pair.sent.time.ns, received = pair.received.time.ns;
  auto& side = from < to ? points.not_above : points.not_below;
  side.push_back(from < to ? ClockPoint{sent, received - sent} : ClockPoint{received, sent - received});
  ++(from < to ? points.messages_from_a : points.messages_from_b);
  if (points.not_above.size() + points.not_below.size() < points.thin_at) return;
  is_divisible_ = false;
  thin(points.not_above, true);
  thin(points.not_below, false);
  points.thin_at = std::max(points.thin_at, 2 * (points.not_above.size() + points.not_below.size()));
}

void ClockAnalysis::on_events(std::span<const Event> batch) {
  DPM_CHECK(info_ != nullptr);
  for (const Event& event : batch) {
    note_time(event);
    if (const auto pair = pairs_.add(event)) note(*pair);
  }
}

ClockPair ClockAnalysis::make_pair(MachineId a, MachineId b, const Points& points) {
  ClockPair pair{a, b, points.messages_from_a, points.messages_from_b, {}};
  // A reading may be a tick older than the moment it was taken: a reception counts as the latest moment it can have
  // been.
  const auto tick = [this](MachineId machine) {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(machines_.at(machine.value).tick_ns));
  };
  std::vector<SidedPoint> sided;
  for (const ClockPoint& point : points.not_above) sided.push_back({{point.at_ns, point.offset_ns + tick(b)}, true});
  for (const ClockPoint& point : points.not_below)
    sided.push_back({{point.at_ns + tick(a), point.offset_ns - tick(a)}, false});
  // Also of one instant, in an order that does not depend on which message was read first.
  std::sort(sided.begin(), sided.end(), [](const auto& x, const auto& y) {
    return std::tie(x.point.at_ns, x.point.offset_ns, x.from_a) < std::tie(y.point.at_ns, y.point.offset_ns, y.from_a);
  });
  for (std::span<const SidedPoint> left = sided; !left.empty();) {
    const std::size_t fits = pair.pieces.size() + 1 < kPiecesMax ? longest_possible(left) : left.size();
    ClockPiece piece{{left.front().point.at_ns}, {left[fits - 1].point.at_ns}, bounds_of(left.first(fits))};
    if (!piece.bounds.is_possible()) {
      result_.warnings.push_back(
          fmt::format("the clocks of '{}' and '{}' disagree more than a hundred times: the rest is not analysed",
                      (*info_)[a].name, (*info_)[b].name));
      break;
    }
    if (!pair.pieces.empty()) {
      const ClockBounds &before = pair.pieces.back().bounds, &after = piece.bounds;
      const double jump = static_cast<double>(clock_reading_ns(after.base_ns(), -before.base_ns(), 0)) +
                          after.middle_at(piece.from.ns) - before.middle_at(piece.from.ns);
      result_.steps.push_back({a, b, piece.from, jump});
    }
    pair.pieces.push_back(std::move(piece));
    left = left.subspan(fits);
  }
  return pair;
}

void ClockAnalysis::find_relations() {
  std::vector<MachineId> seen;
  for (std::size_t m = 0; m < machines_.size(); ++m)
    if (machines_[m].seen) seen.push_back(MachineId{static_cast<std::uint16_t>(m)});
  for (const MachineId a : seen) {
    const Machine& machine = machines_[a.value];
    const LocalTime middle{machine.first_ns + (machine.last_ns - machine.first_ns) / 2};
    const ClockPaths paths(result_.pairs, machines_.size(), a, middle);
    for (const MachineId b : seen)
      if (a < b) result_.relations.push_back(relation_between(result_, paths, a, b));
  }
}

void ClockAnalysis::on_end(const LossReport&) {
  machines_.resize(info_->machines.size());
  for (auto& [machines, points] : points_) result_.pairs.push_back(make_pair(machines.first, machines.second, points));
  points_.clear();
  for (const Machine& machine : machines_)
    result_.tick_ns.push_back(machine.seen ? std::max<std::uint64_t>(1, machine.tick_ns) : 0);
  find_relations();
  for (const ClockStep& step : result_.steps)
    result_.warnings.push_back(
        fmt::format("no two even clocks explain the messages between '{}' and '{}': one of them was stepped, or "
                    "changed its rate, before {:f} s by '{}'",
                    (*info_)[step.a].name, (*info_)[step.b].name, static_cast<double>(step.before.ns) * 1e-9,
                    (*info_)[step.a].name));
  info_ = nullptr;
}

const ClockPair* Clocks::pair_of(MachineId a, MachineId b) const {
  if (b < a) std::swap(a, b);
  const auto found =
      std::find_if(pairs.begin(), pairs.end(), [&](const auto& pair) { return pair.a == a && pair.b == b; });
  return found == pairs.end() ? nullptr : &*found;
}

ClockOffset Clocks::offset_of(const ClockPair& pair, MachineId from, std::int64_t at_ns) {
  if (pair.pieces.empty()) return {};
  const auto piece_at = [&pair](auto is_after) {
    std::size_t chosen = 0;
    while (chosen + 1 < pair.pieces.size() && is_after(pair.pieces[chosen + 1])) ++chosen;
    return &pair.pieces[chosen].bounds;
  };
  if (from == pair.a) {
    const ClockBounds* bounds = piece_at([&](const ClockPiece& piece) { return piece.from.ns <= at_ns; });
    return {bounds->base_ns(), bounds->offset_at(at_ns)};
  }
  // The lines are read the other way round: at a's reading t, b's clock reads t + offset(t).
  const ClockBounds* bounds = piece_at([&](const ClockPiece& piece) {
    return clock_reading_ns(piece.from.ns, piece.bounds.base_ns(), piece.bounds.middle_at(piece.from.ns)) <= at_ns;
  });
  const auto solve = [&](auto side) {
    std::int64_t t = clock_reading_ns(at_ns, -bounds->base_ns(), 0);
    double offset = side(bounds->offset_at(t));
    for (int step = 0; step < 50 && std::isfinite(offset); ++step) {  // drifts are small: each step adds many digits
      const std::int64_t next = clock_reading_ns(at_ns, -bounds->base_ns(), -offset);
      if (next == t) break;
      t = next;
      offset = side(bounds->offset_at(t));
    }
    return offset;
  };
  return {-bounds->base_ns(), {-solve([](Bounds b) { return b.high; }), -solve([](Bounds b) { return b.low; })}};
}

// ---- parts of a trace

void ClockAnalysis::add_end(const SeenEnd& end) {
  if (const auto pair = pairs_.add(event_of(end))) note(*pair);
}

void ClockAnalysis::put_for(const Shares& shares, int /*round*/, std::vector<ByteWriter>& for_part) {
  std::vector<std::vector<SeenEnd>> ends(shares.parts());
  for (const SeenEnd& end : pairs_.take_unmatched()) {
    const std::uint32_t part = end.type == EventType::send ? shares.part_of(end.peer) : shares.own();
    (part < shares.parts() && part != shares.own() ? ends[part] : open_ends_).push_back(end);
  }
  pairs_ = MessagePairs();
  for (const SeenEnd& end : open_ends_) add_end(end);
  open_ends_.clear();
  for (std::uint32_t part = 0; part < shares.parts(); ++part) for_part[part].put(ends[part]);
}

void ClockAnalysis::take_from(const Shares& /*shares*/, int /*round*/, std::uint32_t /*part*/, ByteReader& in) {
  std::vector<SeenEnd> ends;
  in.get(ends);
  for (const SeenEnd& end : ends) add_end(end);
}

void ClockAnalysis::give(ByteWriter& out) {
  out.put(machines_);
  out.put(std::uint64_t{points_.size()});
  for (const auto& [machines, points] : points_) {
    out.put(machines.first);
    out.put(machines.second);
    out.put(points.not_above);
    out.put(points.not_below);
    out.put(points.messages_from_a);
    out.put(points.messages_from_b);
  }
  out.put(pairs_.take_unmatched());
}

void ClockAnalysis::take(ByteReader& in) {
  std::vector<Machine> machines;
  in.get(machines);
  machines_.resize(std::max(machines_.size(), machines.size()));
  for (std::size_t m = 0; m < machines.size(); ++m) {
    const Machine& there = machines[m];
    Machine& here = machines_[m];
    if (!there.seen) continue;
    if (!here.seen) {
      here = there;
      continue;
    }
    const auto apart = static_cast<std::uint64_t>(std::abs(here.first_ns - there.first_ns));
    here.tick_ns = std::gcd(std::gcd(here.tick_ns, there.tick_ns), apart);
    here.first_ns = std::min(here.first_ns, there.first_ns);
    here.last_ns = std::max(here.last_ns, there.last_ns);
  }
  for (auto left = in.get<std::uint64_t>(); left > 0 && in.ok(); --left) {
    const auto a = in.get<MachineId>();
    const auto b = in.get<MachineId>();
    Points& points = points_[{a, b}];
    for (auto* side : {&points.not_above, &points.not_below}) {
      std::vector<ClockPoint> more;
      in.get(more);
      side->insert(side->end(), more.begin(), more.end());
    }
    points.messages_from_a += in.get<std::uint64_t>();
    points.messages_from_b += in.get<std::uint64_t>();
    is_divisible_ = is_divisible_ && points.not_above.size() + points.not_below.size() < kThinAt;
  }
  std::vector<SeenEnd> ends;
  in.get(ends);
  for (const SeenEnd& end : ends) add_end(end);
}

}  // namespace dpm
