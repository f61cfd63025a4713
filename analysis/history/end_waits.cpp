#include "analysis/history/end_waits.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace dpm {

void EndWaits::plan(const std::vector<ProcessInfo>& processes, const std::function<bool(std::uint32_t)>& has_events,
                    const std::function<bool(std::uint32_t)>& ended_in_trace) {
  if (waits_.empty()) return;
  std::sort(waits_.begin(), waits_.end(),
            [](const Wait& a, const Wait& b) { return std::tie(a.waiter, a.event) < std::tie(b.waiter, b.event); });
  nodes_.resize(processes.size());
  std::set<std::uint32_t> joined, awaited;
  for (const Wait& wait : waits_)
    if (has_events(wait.peer)) (wait.of_thread ? joined : awaited).insert(wait.peer);
  const auto wake_for = [&](bool of_thread) {
    for (std::uint32_t w = 0; w < waits_.size(); ++w) {
      const Wait& wait = waits_[w];
      if (wait.of_thread != of_thread || !has_events(wait.peer)) continue;
      const bool ended = ended_in_trace(wait.peer);
      without_end_ += !ended;
      ++in_trace_;
      nodes_[wait.peer].push_back({static_cast<std::uint32_t>(arcs_.size()), true});
      arcs_.push_back({wait.peer, wait.waiter, kNoEvent, kNoEvent, w, wait.inferred || !ended});
    }
  };
  wake_for(true);
  for (std::uint32_t thread = 0; thread < processes.size(); ++thread) {
    const ProcessId group = processes[thread].group;
    if (group.value == thread || !awaited.contains(group.value)) continue;
    if (joined.contains(thread) || awaited.contains(thread) || !has_events(thread)) continue;
    const auto arc = static_cast<std::uint32_t>(arcs_.size());
    nodes_[thread].push_back({arc, true});
    const auto node = static_cast<std::uint32_t>(nodes_[group.value].size());
    nodes_[group.value].push_back({arc, false});
    arcs_.push_back({thread, group.value, kNoEvent, kNoEvent, kNoEvent, true, node});
  }
  wake_for(false);
}

std::uint32_t EndWaits::nodes_before_end(std::uint32_t process) const {
  return process < nodes_.size() ? static_cast<std::uint32_t>(nodes_[process].size()) : 0;
}

bool EndWaits::append(std::uint32_t process, std::uint64_t cpu_ns, std::vector<HistoryEvent>& events) {
  if (nodes_before_end(process) == 0) return false;
  for (const Node& node : nodes_[process]) {
    Arc& arc = arcs_[node.arc];
    (node.wakes ? arc.wake : arc.wait) = static_cast<std::uint32_t>(events.size());
    HistoryEvent event;
    event.cpu_ns = std::exchange(cpu_ns, 0);
    event.kind_bits = static_cast<std::uint32_t>(node.wakes ? HistoryKind::wake : HistoryKind::wait) & 7u;
    event.peer = (node.wakes ? arc.waiter : arc.waker) & kNoPeer;
    events.push_back(event);
  }
  return true;
}

void EndWaits::join(std::vector<HistoryEvent>& events, const std::function<std::uint32_t(const Wait&)>& place) const {
  for (const Arc& arc : arcs_) {
    const std::uint32_t wait = arc.in_trace == kNoEvent ? arc.wait : place(waits_[arc.in_trace]);
    const ArcKind kind = arc.inferred ? ArcKind::inferred : ArcKind::proven;
    events[wait].match = arc.wake;
    events[arc.wake].match = wait;
    events[wait].arc_bits = events[arc.wake].arc_bits = static_cast<std::uint32_t>(kind) & 7u;
  }
}

}  // namespace dpm
