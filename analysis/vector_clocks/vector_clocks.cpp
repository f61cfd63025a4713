#include "analysis/vector_clocks/vector_clocks.hpp"

#include <algorithm>
#include <unordered_map>

#include "analysis/vector_clocks/running_clocks.hpp"
#include "model/check.hpp"

namespace dpm {

VectorClocks::VectorClocks(std::span<const std::uint32_t> process_of, std::uint32_t processes,
                           std::vector<CausalArc> arcs)
    : process_of_(process_of),
      events_(process_of.size()),
      first_event_(processes + 1),
      arcs_(std::move(arcs)),
      first_arc_(process_of.size() + 1),
      unmet_(process_of.size()) {
  for (const std::uint32_t process : process_of) ++first_event_.at(process + 1);
  for (std::uint32_t process = 0; process < processes; ++process) first_event_[process + 1] += first_event_[process];
  std::vector<std::uint32_t> end(first_event_.begin(), first_event_.end());
  for (std::uint32_t event = 0; event < process_of.size(); ++event) events_[end[process_of[event]]++] = event;
  std::sort(arcs_.begin(), arcs_.end(), [](const CausalArc& a, const CausalArc& b) { return a.cause < b.cause; });
  for (const CausalArc& arc : arcs_) {
    DPM_CHECK(arc.cause < process_of.size() && arc.effect < process_of.size());
    ++first_arc_[arc.cause + 1];
    ++unmet_[arc.effect];
  }
  for (std::size_t event = 0; event < process_of.size(); ++event) first_arc_[event + 1] += first_arc_[event];
}

std::uint64_t VectorClocks::visit(const Visit& visit) {
  const auto processes = static_cast<std::uint32_t>(first_event_.size() - 1);
  RunningClocks clocks;
  std::vector<std::uint32_t> next(first_event_.begin(), first_event_.end() - 1);
  std::unordered_multimap<std::uint32_t, Knowledge> caused;  // by effect
  std::vector<bool> visited(process_of_.size());
  std::vector<std::uint32_t> ready;  // processes that may be able to go on
  for (std::uint32_t p = processes; p-- > 0;) ready.push_back(p);
  std::uint64_t left = process_of_.size(), circles = 0;

  const auto perform = [&](std::uint32_t process) {
    const std::uint32_t event = events_[next[process]++];
    const auto [first, last] = caused.equal_range(event);
    for (auto cause = first; cause != last; ++cause) clocks.learn(process, cause->second);
    if (first != last) caused.erase(first, last);
    visited[event] = true;
    --left;
    visit(event, clocks.perform(process));
    for (std::uint32_t a = first_arc_[event]; a < first_arc_[event + 1]; ++a) {
      const std::uint32_t effect = arcs_[a].effect;
      if (visited[effect]) continue;  // of a circle that was cut
      caused.emplace(effect, clocks.knowledge_of(process));
      if (unmet_[effect] > 0 && --unmet_[effect] == 0) ready.push_back(process_of_[effect]);
    }
  };

  const auto is_over = [&](std::uint32_t process) { return next[process] == first_event_[process + 1]; };
  while (left > 0) {
    while (!ready.empty()) {
      const std::uint32_t process = ready.back();
      ready.pop_back();
      while (!is_over(process) && unmet_[events_[next[process]]] == 0) perform(process);
    }
    if (left == 0) break;
    // Every process waits: a circle. The first process that waits goes on without its cause.
    for (std::uint32_t process = 0; process < processes; ++process) {
      if (is_over(process)) continue;
      std::uint32_t& waits_for = unmet_[events_[next[process]]];
      circles += waits_for;
      waits_for = 0;
      ready.push_back(process);
      break;
    }
  }
  return circles;
}

}  // namespace dpm
