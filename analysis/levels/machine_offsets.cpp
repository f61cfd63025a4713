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
std::optional<std::int64_t> MachineOffsets::least_ns(MachineId from, MachineId to) const {
  const auto found = least_.find({from, to});
  if (found == least_.end()) return std::nullopt;
  const std::int64_t least_ns = found->second.ns() - machine_at(to).first.ns + machine_at(from).first.ns;
  return std::clamp(least_ns, -kOffsetEndNs, kOffsetEndNs);
}

// Prim's algorithm: the narrowest bounds first.
void MachineOffsets::settle() {
  if (!has_news_) return;
  has_news_ = false;
  struct Way {
    std::int64_t width_ns = std::numeric_limits<std::int64_t>::max();
    std::int64_t offset_ns = 0;
  };
  std::map<MachineId, std::vector<MachineId>> neighbours;
  for (const auto& [pair, least] : least_)
    if (least_.contains({pair.second, pair.first})) neighbours[pair.first].push_back(pair.second);
  std::vector<Way> ways(machines_.size());
  std::vector<bool> is_placed(machines_.size());
  is_common_ = true;
  for (std::size_t placed = 0; placed < seen_; ++placed) {
    std::optional<std::uint16_t> next;
    for (std::uint16_t m = 0; m < machines_.size(); ++m)
      if (machines_[m].seen && !is_placed[m] && (!next || ways[m].width_ns < ways[*next].width_ns)) next = m;
    DPM_CHECK(next.has_value());
    is_placed[*next] = true;
    if (placed > 0 && ways[*next].width_ns == std::numeric_limits<std::int64_t>::max()) is_common_ = false;
    machines_[*next].offset_ns = ways[*next].offset_ns;
    for (const MachineId to : neighbours[MachineId{*next}]) {
      const std::int64_t there_ns = *least_ns(MachineId{*next}, to), back_ns = *least_ns(to, MachineId{*next});
      if (is_placed[to.value] || there_ns + back_ns >= ways[to.value].width_ns) continue;
      const std::int64_t offset_ns = machines_[*next].offset_ns + (back_ns - there_ns) / 2;
      ways[to.value] = {there_ns + back_ns, std::clamp(offset_ns, -kOffsetEndNs, kOffsetEndNs)};
    }
  }
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
