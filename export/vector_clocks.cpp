#include "export/vector_clocks.hpp"

#include <algorithm>
#include <unordered_map>

#include "model/check.hpp"

namespace dpm {
namespace {

using Clock = std::vector<std::uint32_t>;

void take_maximum(Clock& clock, const Clock& other) {
  for (std::size_t i = 0; i < clock.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

}  // namespace

VectorClocks::VectorClocks(std::span<const std::uint32_t> process_of, std::uint32_t processes,
                           std::vector<CausalArc> arcs)
    : process_of_(process_of),
      events_(processes),
      arcs_(std::move(arcs)),
      first_arc_(process_of.size() + 1),
      unmet_(process_of.size()) {
  for (std::uint32_t event = 0; event < process_of.size(); ++event) events_.at(process_of[event]).push_back(event);
  std::sort(arcs_.begin(), arcs_.end(), [](const CausalArc& a, const CausalArc& b) { return a.cause < b.cause; });
  for (const CausalArc& arc : arcs_) {
    DPM_CHECK(arc.cause < process_of.size() && arc.effect < process_of.size());
    ++first_arc_[arc.cause + 1];
    ++unmet_[arc.effect];
  }
  for (std::size_t event = 0; event < process_of.size(); ++event) first_arc_[event + 1] += first_arc_[event];
}

std::uint64_t VectorClocks::visit(const Visit& visit) {
  std::vector<Clock> now(events_.size(), Clock(events_.size()));
  std::vector<std::size_t> next(events_.size());
  std::vector<std::uint32_t> unmet = unmet_;
  std::unordered_map<std::uint32_t, Clock> caused;  // by effect: the maximum over the causes that were visited
  std::vector<bool> visited(process_of_.size());
  std::vector<std::uint32_t> ready;  // processes that may be able to go on
  for (std::uint32_t p = static_cast<std::uint32_t>(events_.size()); p-- > 0;) ready.push_back(p);
  std::uint64_t left = process_of_.size(), circles = 0;

  const auto perform = [&](std::uint32_t process) {
    const std::uint32_t event = events_[process][next[process]++];
    Clock& clock = now[process];
    if (const auto before = caused.find(event); before != caused.end()) {
      take_maximum(clock, before->second);
      caused.erase(before);
    }
    ++clock[process];
    visited[event] = true;
    --left;
    visit(event, clock);
    for (std::uint32_t a = first_arc_[event]; a < first_arc_[event + 1]; ++a) {
      const std::uint32_t effect = arcs_[a].effect;
      if (visited[effect]) continue;  // of a circle that was cut
      auto& clock_of_effect = caused.try_emplace(effect, Clock(events_.size())).first->second;
      take_maximum(clock_of_effect, clock);
      if (--unmet[effect] == 0) ready.push_back(process_of_[effect]);
    }
  };

  while (left > 0) {
    while (!ready.empty()) {
      const std::uint32_t process = ready.back();
      ready.pop_back();
      while (next[process] < events_[process].size() && unmet[events_[process][next[process]]] == 0) perform(process);
    }
    if (left == 0) break;
    // Every process waits: a circle. The first process that waits goes on without its cause.
    for (std::uint32_t process = 0; process < events_.size(); ++process) {
      if (next[process] == events_[process].size()) continue;
      std::uint32_t& waits_for = unmet[events_[process][next[process]]];
      circles += waits_for;
      waits_for = 0;
      ready.push_back(process);
      break;
    }
  }
  return circles;
}

}  // namespace dpm
