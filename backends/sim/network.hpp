// What lies between machines: how long messages take, which links are down, and what happens on the others.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "backends/sim/machine.hpp"
#include "model/delay_model.hpp"
#include "model/scenario.hpp"

namespace dpm::sim {

class Network {
 public:
  explicit Network(const Scenario& scenario) : scenario_(scenario), delays_(scenario.delays) {}

  const DelayClass& between(const Machine& a, const Machine& b) {
    if (&a == &b) return delays_.local;
    if (delays_.pairs.empty()) return delays_.remote;
    const std::uint32_t key = static_cast<std::uint32_t>(a.id.value) << 16 | b.id.value;
    const auto [entry, is_new] = of_pair_.try_emplace(key, nullptr);
    if (is_new) entry->second = &delays_.between(a.name, b.name);
    return *entry->second;
  }

  void set_link(const Machine& a, const Machine& b, bool up) {
    if (up)
      down_.erase(pair(a, b));
    else
      down_.insert(pair(a, b));
  }
  // What happens between two machines, besides the delay; null: nothing.
  const LinkDescription* link_between(const Machine& a, const Machine& b) {
    if (scenario_.network.empty() || &a == &b) return nullptr;
    const auto [entry, is_new] = link_of_pair_.try_emplace(pair(a, b), nullptr);
    if (is_new) entry->second = described_link(a.name, b.name);
    return entry->second;
  }
  // Puts a message on the link, behind those that are on their way in the same direction; when its last byte has left.
  TrueTime leaves_at(const Machine& from, const Machine& to, const LinkDescription& link, TrueTime now,
                     std::uint32_t bytes) {
    if (link.bytes_per_s == 0) return now;
    TrueTime& free = free_at_[{from.id, to.id}];
    return free = std::max(free, now) + Duration::from_seconds(bytes / link.bytes_per_s);
  }

  bool is_down(const Machine& a, const Machine& b) const { return !down_.empty() && down_.count(pair(a, b)) != 0; }

 private:
  using Pair = std::pair<MachineId, MachineId>;

  static Pair pair(const Machine& a, const Machine& b) { return {std::min(a.id, b.id), std::max(a.id, b.id)}; }

  const LinkDescription* described_link(const std::string& a, const std::string& b) const {
    const LinkDescription* of_others = nullptr;
    for (const LinkDescription& link : scenario_.network) {
      if ((link.machine_a == a && link.machine_b == b) || (link.machine_a == b && link.machine_b == a)) return &link;
      if (link.machine_a.empty()) of_others = &link;
    }
    return of_others;
  }

  const Scenario& scenario_;
  const DelayModel& delays_;
  std::map<Pair, TrueTime> free_at_;  // from, to
  std::map<Pair, const LinkDescription*> link_of_pair_;
  std::unordered_map<std::uint32_t, const DelayClass*> of_pair_;
  std::set<Pair> down_;
};

}  // namespace dpm::sim
