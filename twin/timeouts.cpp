#include "twin/timeouts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace dpm::twin {
namespace {

constexpr double kTimesNearlyAll = 0.9;
constexpr double kAlike = 0.05;             // of the time
constexpr double kLatenessNs = 10'000'000;  // of timers of a busy real machine

bool are_alike(std::vector<double>& times_ns, double lateness_ns) {
  std::sort(times_ns.begin(), times_ns.end());
  const double middle = times_ns[times_ns.size() / 2];
  const auto alike = std::count_if(times_ns.begin(), times_ns.end(), [&](double time_ns) {
    return std::abs(time_ns - middle) <= kAlike * middle + lateness_ns;
  });
  return static_cast<double>(alike) >= kTimesNearlyAll * static_cast<double>(times_ns.size());
}

bool is_same_send(const Groups& groups, const Kinds& kinds, std::uint32_t process, const Operation& before,
                  const Operation& again) {
  return before.kind == OperationKind::send && again.kind == OperationKind::send && before.peer != kNone &&
         again.peer != kNone && groups.of[before.peer] == groups.of[again.peer] &&
         kinds.of(process, before.peer, before) == kinds.of(process, again.peer, again);
}

}  // namespace

void mark_unseen_waits(Recording& recording, const Groups& groups, const Kinds& kinds) {
  for (std::uint32_t p = 0; p < recording.records.size(); ++p) {
    auto& operations = recording.records[p].operations;
    std::map<std::uint32_t, std::uint64_t> answered;                 // by group: SENDs that a RECEIVE from it follows
    std::map<std::uint32_t, std::vector<std::uint32_t>> sent_again;  // by group: operations
    for (std::uint32_t i = 1; i < operations.size(); ++i) {
      const Operation& before = operations[i - 1];
      if (before.kind != OperationKind::send || before.peer == kNone || operations[i].peer == kNone) continue;
      const std::uint32_t group = groups.of[before.peer];
      answered[group] += operations[i].kind == OperationKind::receive && groups.of[operations[i].peer] == group;
      if (operations[i].idle.slept_ns > 0 && operations[i].idle.give_ups == 0 &&
          is_same_send(groups, kinds, p, before, operations[i]))
        sent_again[group].push_back(i);
    }
    for (const auto& [group, numbers] : sent_again) {
      if (answered[group] <= numbers.size()) continue;
      for (const std::uint32_t number : numbers) {
        IdleBefore& idle = operations[number].idle;
        idle.gave_up_ns = std::exchange(idle.slept_ns, 0);
        idle.give_ups = 1;
      }
    }
  }
}

Timeouts::Timeouts(const Recording& recording, const Groups& groups, const Kinds& kinds)
    : recording_(recording), groups_(groups), kinds_(kinds) {
  const double lateness_ns = recording.info.properties.scripted ? 0 : kLatenessNs;
  for (std::uint32_t p = 0; p < recording.records.size(); ++p) {
    std::map<std::pair<std::string, std::uint32_t>, std::vector<double>> times_ns;
    const auto& operations = recording.records[p].operations;
    for (std::uint32_t i = 0; i < operations.size(); ++i)
      if (sends_again(p, i))
        times_ns[{kinds.of(p, operations[i].peer, operations[i]), groups.of[operations[i].peer]}].push_back(
            static_cast<double>(operations[i].idle.gave_up_ns));
    for (auto& [key, times] : times_ns) constant_[{p, key.first, key.second}] = are_alike(times, lateness_ns);
  }
}

bool Timeouts::sends_again(std::uint32_t process, std::uint32_t operation) const {
  const auto& operations = recording_.records[process].operations;
  return operation > 0 && operations[operation].idle.give_ups == 1 &&
         is_same_send(groups_, kinds_, process, operations[operation - 1], operations[operation]);
}

bool Timeouts::is_constant(std::uint32_t process, const std::string& kind, std::uint32_t group) const {
  const auto found = constant_.find({process, kind, group});
  return found != constant_.end() && found->second;
}

}  // namespace dpm::twin
