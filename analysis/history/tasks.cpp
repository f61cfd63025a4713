#include "analysis/history/tasks.hpp"

namespace dpm {

std::vector<std::uint32_t> tasks_of_receives(const History& history, const Roles& roles) {
  std::vector<std::uint32_t> task_of;
  if (roles.destinations != nullptr && !roles.destinations->empty()) task_of = roles.destinations->piece_of;
  for (std::uint32_t p = 0; p < history.process_count(); ++p) {
    if (!roles.is_worker(p)) continue;
    std::uint32_t task = kNoEvent;
    for (std::uint32_t e = history.first_event[p]; e < history.first_event[p + 1]; ++e) {
      const HistoryEvent& event = history.events[e];
      if (event.kind() != HistoryKind::receive) continue;
      if (event.peer == roles.dispatcher_of[p]) {
        task = e;
      } else if (task != kNoEvent) {
        if (task_of.empty()) task_of.assign(history.events.size(), kNoEvent);
        task_of[e] = task;
      }
    }
  }
  return task_of;
}

}  // namespace dpm
