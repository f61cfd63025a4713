#include "control/controller/event_actions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace dpm::control {

void EventActions::note(const HighLevelEvent& event, const std::string& machine, std::uint32_t pid, bool is_central) {
  for (const HighLevelAction& action : event.actions) {
    const bool is_switch = action.kind == HighLevelActionKind::on || action.kind == HighLevelActionKind::off;
    if (action.kind == HighLevelActionKind::stop || action.kind == HighLevelActionKind::flags ||
        (is_switch && is_central))
      pending_.push_back({action, machine, pid});
  }
}

void EventActions::perform_noted() {
  if (std::exchange(is_performing_, true)) return;
  for (const Pending& pending : std::exchange(pending_, {})) perform(pending.action, pending.machine, pending.pid);
  is_performing_ = false;
}

void EventActions::perform(const HighLevelAction& action, const std::string& machine, std::uint32_t pid) {
  if (action.kind == HighLevelActionKind::on || action.kind == HighLevelActionKind::off) {
    const EventDefinition& event = script_.events[action.event];
    const char* verb = action.kind == HighLevelActionKind::on ? "on" : "off";
    for (const std::string& each : told_.told(action.event))
      if (told_.monitored().contains(each)) told_.monitored().tell(each, fmt::format("{} {}", verb, event.name));
    for (const std::string& complaint : told_.monitored().send()) console_.fail(complaint);
    return;
  }
  std::string job = action.job;
  const Job* of_process = nullptr;
  if (job.empty() && computation_.process_at(machine, pid, &of_process) != nullptr) job = of_process->name;
  if (job.empty()) {
    console_.fail(fmt::format("process {} on {} is not part of a job: name one, as in 'stop of JOB'", pid, machine));
    return;
  }
  if (action.kind == HighLevelActionKind::stop) {
    jobs_.stop(job);
    return;
  }
  Words words{job};
  for (std::size_t at = 0; at <= action.flags.size();) {
    const std::size_t end = std::min(action.flags.find(',', at), action.flags.size());
    words.push_back(action.flags.substr(at, end - at));
    at = end + 1;
  }
  jobs_.set_flags(words);
}

}  // namespace dpm::control
