#include "analysis/levels/machine_offsets.hpp"

#include <algorithm>
#include <limits>

#include "model/check.hpp"

namespace dpm {
namespace {

constexpr std::size_t kEnds = std::size_t{1} << 15;  // 1 MB
constexpr std::uint64_t kEachOf = 4;                 // messages: more of them prove little more
constexpr std::int64_t kPeriodNs = 60'000'000'000;
constexpr std::int64_t kOffsetEndNs = std::int64_t{1} << 60;  // times of a hostile trace must not overflow
constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kWidenedLeastNs = 1000;

std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
  return hash ^ (hash >> 29);
}

// The same for both ends of a message. On a stream, a SEND and a RECEIVE that begin at one byte. 0: not certain.
std::uint64_t key_of(const Event& event, const TraceInfo& info) {
  if (event.channel.value >= info.channels.size()) return 0;
  const ChannelKind kind = info[event.channel].kind;
  if (kind == ChannelKind::datagram) return 0;
  const ProcessId sender = event.type == EventType::send ? event.process : event.peer;
  const std::uint64_t who = kind == ChannelKind::numbered ? sender.value : ProcessId::kNone;
  return mix(mix(mix(1, who), event.channel.value), event.sequence);
}

}  // namespace

const MachineOffsets::Machine& MachineOffsets::machine_at(MachineId machine) const {
  DPM_CHECK(has(machine));
  return machines_[machine.value];
}

void MachineOffsets::note(const Event& event, const TraceInfo& info) {
  if (event.machine.is_none()) return;
  if (event.machine.value >= machines_.size()) machines_.resize(event.machine.value + 1u);
  Machine& machine = machines_[event.machine.value];
  if (!machine.seen) {
    machine = {.seen = true, .first = event.local_time, .last = event.local_time};
    ++seen_;
    has_news_ = true;
  }
  machine.first = std::min(machine.first, event.local_time);
  machine.last = std::max(machine.last, event.local_time);
  const bool is_end = event.type == EventType::send || event.type == EventType::receive;
  if (is_end && info.machines.size() > 1 && event.evidence == Evidence::observed) note_end(event, info);
}

void MachineOffsets::note_end(const Event& event, const TraceInfo& info) {
  const std::uint64_t key = key_of(event, info);
  if (key == 0 || (key >> 40) % kEachOf != 0) return;
  if (ends_.empty()) ends_.resize(kEnds);
  End& slot = ends_[key % kEnds];
  const End here{key, event.local_time, event.machine, event.type == EventType::send};
  if (slot.key != key || slot.is_send == here.is_send) {
    slot = here;
    return;
  }
  if (slot.machine != here.machine) note_message(here.is_send ? here : slot, here.is_send ? slot : here);
  slot = {};
}

void MachineOffsets::note_message(const End& sent, const End& received) {
  const std::int64_t took_ns = received.time.ns - sent.time.ns;  // by two clocks: only least_ns() knows what it means
  const std::int64_t period = received.time.ns / kPeriodNs;
  const auto [found, is_new] = least_.try_emplace({sent.machine, received.machine}, Least{period, took_ns, {}});
  has_news_ = true;
  if (is_new) return;
  Least& least = found->second;
  if (period > least.period) {
    least = {period, took_ns, least.now_ns};
  } else if (period == least.period) {
    least.now_ns = std::min(least.now_ns, took_ns);
  } else if (period == least.period - 1) {
    least.before_ns = std::min(least.before_ns.value_or(took_ns), took_ns);
  }
}

// As both machines count from their first events.
std::int64_t MachineOffsets::least_ns(MachineId from, MachineId to, const Least& least) const {
  const std::int64_t least_ns = least.ns() - machine_at(to).first.ns + machine_at(from).first.ns;
  return std::clamp(least_ns, -kOffsetEndNs, kOffsetEndNs);
}

void MachineOffsets::settle() {
  if (!has_news_) return;
  has_news_ = false;
  std::vector<Way> ways;
  for (const auto& [pair, least] : least_)
    ways.push_back({pair.first, pair.second, least_ns(pair.first, pair.second, least)});
  for (widened_ns_ /= 2;; widened_ns_ = std::max(kWidenedLeastNs, 2 * widened_ns_)) {
    std::vector<Way> wider = ways;
    for (Way& way : wider) way.least_ns += widened_ns_;
    if (place(std::move(wider))) return;
  }
}

// The shortest distances from `root` to each machine; kFar where there is no path. Nothing if a cycle is negative.
std::optional<std::vector<std::int64_t>> MachineOffsets::shortest(std::span<const Way> ways, MachineId root,
                                                                  std::size_t machines) {
  std::vector<std::int64_t> sums(machines, kFar);
  sums[root.value] = 0;
  for (std::size_t round = 0; round <= machines; ++round) {
    bool is_done = true;
    for (const Way& way : ways) {
      if (sums[way.from.value] == kFar) continue;
      const std::int64_t sum = std::clamp(sums[way.from.value] + way.least_ns, -kOffsetEndNs, kOffsetEndNs);
      if (sum >= sums[way.to.value]) continue;
      sums[way.to.value] = sum;
      is_done = false;
    }
    if (is_done) return sums;
  }
  return std::nullopt;
}

// False if the bounds contradict each other.
bool MachineOffsets::place(std::vector<Way> ways) {
  std::vector<Way> back;
  for (const Way& way : ways) back.push_back({way.to, way.from, way.least_ns});
  std::vector<bool> is_placed(machines_.size());
  std::size_t groups = 0;
  for (std::uint16_t root = 0; root < machines_.size(); ++root) {
    if (!machines_[root].seen || is_placed[root]) continue;
    ++groups;
    const auto there_ns = shortest(ways, {root}, machines_.size()), back_ns = shortest(back, {root}, machines_.size());
    if (!there_ns || !back_ns) return false;
    for (std::size_t m = 0; m < machines_.size(); ++m) {
      if (is_placed[m] || (*there_ns)[m] == kFar || (*back_ns)[m] == kFar) continue;
      is_placed[m] = true;
      machines_[m].offset_ns = ((*back_ns)[m] - (*there_ns)[m]) / 2;
    }
  }
  is_common_ = groups <= 1;
  return true;
}

RunTime MachineOffsets::run_time(MachineId machine, LocalTime time) const {
  const Machine& of = machine_at(machine);
  return {time.ns - of.first.ns + of.offset_ns};
}

LocalTime MachineOffsets::local_time(MachineId machine, RunTime time) const {
  const Machine& of = machine_at(machine);
  return {time.ns - of.offset_ns + of.first.ns};
}

RunTime MachineOffsets::last() const {
  RunTime last;
  for (std::uint16_t m = 0; m < machines_.size(); ++m)
    if (machines_[m].seen) last = std::max(last, run_time(MachineId{m}, machines_[m].last));
  return last;
}

}  // namespace dpm
