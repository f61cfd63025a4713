// What lies between machines: how long messages take, and which links are down.
#pragma once

#include <set>
#include <unordered_map>
#include <utility>

#include "backends/sim/machine.hpp"
#include "model/delay_model.hpp"

namespace dpm::sim {

class Network {
 public:
  explicit Network(const DelayModel& delays) : delays_(delays) {}

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
  bool is_down(const Machine& a, const Machine& b) const { return !down_.empty() && down_.count(pair(a, b)) != 0; }

 private:
  using Pair = std::pair<MachineId, MachineId>;

  static Pair pair(const Machine& a, const Machine& b) { return {std::min(a.id, b.id), std::max(a.id, b.id)}; }

  const DelayModel& delays_;
  std::unordered_map<std::uint32_t, const DelayClass*> of_pair_;
  std::set<Pair> down_;
};

}  // namespace dpm::sim
