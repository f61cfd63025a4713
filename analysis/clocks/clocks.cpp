#include "analysis/clocks/clocks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/check.hpp"

namespace dpm {
namespace {

constexpr std::size_t kChunkPoints = 512;  // kept before only the hull is kept

// Of every kChunkPoints neighbours in time, keeps only the points that can matter.
void thin(std::vector<ClockPoint>& points) {
  std::sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.at_ns < b.at_ns; });
  std::vector<ClockPoint> kept;
  for (std::size_t from = 0; from < points.size(); from += kChunkPoints) {
    const auto chunk = std::span(points).subspan(from, std::min(kChunkPoints, points.size() - from));
    const auto hull = hull_points(chunk);
    kept.insert(kept.end(), hull.begin(), hull.end());
  }
  points = std::move(kept);
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

std::uint32_t ClockStretches::clock_at(MachineId machine, std::int64_t at_ns) const {
  const auto& own = of_machine.at(machine.value);
  if (own.empty()) return kNoClock;
  std::size_t at = 0;
  while (at + 1 < own.size() && own[at + 1].from_ns <= at_ns) ++at;
  return own[at].clock;
}

std::size_t ClockTraffics::slot_of(MachineId from, MachineId to) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = ((std::uint64_t{from.value} << 16 | to.value) * 0x9e3779b97f4a7c15ull >> 32) & mask;
  while (slots_[at] != 0 && (all_[slots_[at] - 1].from != from || all_[slots_[at] - 1].to != to)) at = (at + 1) & mask;
  return at;
}

const ClockTraffic* ClockTraffics::find(MachineId from, MachineId to) const {
  const std::uint32_t place = slots_[slot_of(from, to)];
  return place == 0 ? nullptr : &all_[place - 1];
}

ClockTraffic& ClockTraffics::at(MachineId from, MachineId to) {
  if (const std::uint32_t place = slots_[slot_of(from, to)]; place != 0) return all_[place - 1];
  all_.push_back({.from = from, .to = to});
  std::size_t first = all_.size() - 1;  // that has no slot yet
  if (all_.size() * 2 > slots_.size()) {
    slots_.assign(slots_.size() * 2, 0);
    first = 0;
  }
  for (std::size_t i = first; i < all_.size(); ++i)
    slots_[slot_of(all_[i].from, all_[i].to)] = static_cast<std::uint32_t>(i + 1);
  return all_.back();
}

void ClockAnalysis::note_time(const Event& event) {
  if (event.machine.value >= evidence_.machines.size()) evidence_.machines.resize(info_->machines.size());
  if (event.machine.value >= evidence_.machines.size()) return;
  ClockEvidence::Machine& machine = evidence_.machines[event.machine.value];
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
  ClockTraffic& traffic = evidence_.traffic.at(from, to);
  traffic.points.push_back({pair.sent.time.ns, pair.received.time.ns - pair.sent.time.ns});
  ++traffic.messages;
  if (traffic.points.size() < traffic.thin_at) return;
  is_divisible_ = false;
  thin(traffic.points);
  traffic.thin_at = std::max(traffic.thin_at, 2 * traffic.points.size());
}

void ClockAnalysis::on_events(std::span<const Event> batch) {
  DPM_CHECK(info_ != nullptr);
  for (const Event& event : batch) {
    note_time(event);
    if (const auto pair = pairs_.add(event)) note(*pair);
  }
}

void ClockAnalysis::on_end(const LossReport&) {
  evidence_.machines.resize(info_->machines.size());
  result_ = find_clocks(evidence_, *info_);
  evidence_ = {};
  info_ = nullptr;
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
  out.put(evidence_.machines);
  out.put(std::uint64_t{evidence_.traffic.all().size()});
  for (const ClockTraffic& traffic : evidence_.traffic.all()) {
    out.put(traffic.from);
    out.put(traffic.to);
    out.put(traffic.points);
    out.put(traffic.messages);
  }
  out.put(pairs_.take_unmatched());
}

void ClockAnalysis::take(ByteReader& in) {
  std::vector<ClockEvidence::Machine> machines;
  in.get(machines);
  evidence_.machines.resize(std::max(evidence_.machines.size(), machines.size()));
  for (std::size_t m = 0; m < machines.size(); ++m) {
    const ClockEvidence::Machine& there = machines[m];
    ClockEvidence::Machine& here = evidence_.machines[m];
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
    const auto from = in.get<MachineId>(), to = in.get<MachineId>();
    ClockTraffic& traffic = evidence_.traffic.at(from, to);
    std::vector<ClockPoint> more;
    in.get(more);
    traffic.points.insert(traffic.points.end(), more.begin(), more.end());
    traffic.messages += in.get<std::uint64_t>();
    is_divisible_ = is_divisible_ && traffic.points.size() < ClockTraffic::kThinAt;
  }
  std::vector<SeenEnd> ends;
  in.get(ends);
  for (const SeenEnd& end : ends) add_end(end);
}

}  // namespace dpm
