#include "backends/linux/remote/controller/leaving.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backends/linux/remote/controller/listed.hpp"
#include "backends/linux/remote/controller/process_states.hpp"

namespace dpm::control {

std::vector<std::string> Leaving::active_processes() const {
  std::vector<std::string> active;
  for (const auto& job : computation_.jobs()) {
    for (const auto& process : job.processes) {
      if (!process.is_active()) continue;
      active.push_back(fmt::format("'{}' in job '{}' ({})", process.name, job.name,
                                   process.is_unreachable ? "unreachable" : state_name(process.state)));
    }
  }
  return active;
}

Outcome Leaving::die() {
  reports_.catch_up();  // the last process may have just ended
  const auto active = active_processes();
  if (!active.empty() && !has_warned_) {
    has_warned_ = true;
    console_.fail(fmt::format("processes are still active: {}; die once more leaves them so", listed(active)));
    return Outcome::done;  // the user has been warned
  }
  return end();
}

Outcome Leaving::end_of_script(const std::string& where) {
  reports_.catch_up();
  const auto active = active_processes();
  if (!active.empty())
    console_.say(fmt::format("{} ends while processes are active: {}; they are left so", where, listed(active)));
  end();
  return active.empty() ? Outcome::left : Outcome::failed;
}

// Releases filters, except those of active processes, which a later controller can adopt.
Outcome Leaving::end() {
  reports_.flush();
  reports_.show_all();
  const auto is_needed = [&](const FilterRecord& filter) {
    return std::any_of(computation_.jobs().begin(), computation_.jobs().end(), [&](const Job& job) {
      return job.filter == filter.name && std::any_of(job.processes.begin(), job.processes.end(),
                                                      [](const auto& process) { return process.is_active(); });
    });
  };
  std::vector<Question> questions;
  for (const auto& filter : computation_.filters()) {
    if (is_needed(filter)) {
      console_.say(fmt::format("filter '{}' on {} stays with them; 'adopt' in a later session takes over", filter.name,
                               filter.machine));
      continue;
    }
    if (!filter.is_fetched && !filter.log.empty())
      console_.say(fmt::format("the log of filter '{}' was not fetched: it stays on {} in {}", filter.name,
                               filter.machine, filter.log));
    if (!filter.is_unreachable) questions.push_back({filter.machine, Release{filter.pid}});
  }
  for (const auto& answer : machines_.ask(std::move(questions)))
    if (!answer) console_.say("die: " + answer.error().what);
  return Outcome::left;
}

}  // namespace dpm::control
