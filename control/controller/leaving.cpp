#include "control/controller/leaving.hpp"

#include <fmt/format.h>

#include "control/controller/deliveries.hpp"
#include "control/controller/filter_removal.hpp"
#include "control/controller/listed.hpp"
#include "control/controller/process_states.hpp"

namespace dpm::control {
namespace {

constexpr std::string_view kNormalEnd = "normal";

}  // namespace

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
    console_.fail(fmt::format("processes are still active: {}; another 'die' leaves them as they are", listed(active)));
    return Outcome::done;  // the user has been warned
  }
  return end();
}

Outcome Leaving::end_of_script(const std::string& where) {
  reports_.catch_up();
  const auto active = active_processes();
  if (!active.empty())
    console_.say(
        fmt::format("{} ends while processes are active: {}; they are left as they are", where, listed(active)));
  end();
  return active.empty() ? Outcome::left : Outcome::failed;
}

// Ends and releases filters, except those of active processes, which a later controller can adopt.
Outcome Leaving::end() {
  reports_.flush();
  reports_.show_all();
  std::vector<FilterRecord*> leaving;
  for (auto& filter : computation_.filters()) {
    if (filter.is_unadopted()) continue;
    if (!computation_.active_processes_of(filter).empty()) {
      console_.say(fmt::format("filter '{}' on {} stays with them; 'adopt' in a later session takes over", filter.name,
                               filter.machine));
      continue;
    }
    if (const auto missing = Deliveries(computation_).sentences(filter); !missing.empty()) console_.say(missing);
    if (const auto unfetched = unfetched_text(filter); !unfetched.empty()) console_.say(unfetched);
    if (!filter.is_unreachable) leaving.push_back(&filter);
  }
  watch_.end();
  end_filters(leaving);
  std::vector<Question> questions;
  for (const auto* filter : leaving)
    if (!filter->ended.empty() && !filter->is_forgotten) questions.push_back({filter->machine, Release{filter->pid}});
  for (const auto& answer : machines_.ask(std::move(questions)))
    if (!answer) console_.say("die: " + answer.error().what);
  return Outcome::left;
}

// What a filter writes last may fail: that is reported, although nothing more can be done about it here.
void Leaving::end_filters(const std::vector<FilterRecord*>& filters) {
  std::vector<FilterRecord*> running;
  std::vector<Question> questions;
  for (auto* filter : filters) {
    if (!filter->ended.empty()) continue;
    running.push_back(filter);
    questions.push_back({filter->machine, EndFilter{filter->pid}});
  }
  auto answers = machines_.ask(std::move(questions));
  for (std::size_t i = 0; i < running.size(); ++i) {
    auto finished = expect<FilterFinished>(std::move(answers[i]));
    if (!finished) {
      console_.say("die: " + finished.error().what);
      continue;
    }
    running[i]->ended = finished->reason.empty() ? "unknown" : finished->reason;
    if (running[i]->ended != kNormalEnd)
      console_.say(fmt::format("  DONE: filter '{}' on {} terminated: reason: {}; its log stays in {}",
                               running[i]->name, running[i]->machine, running[i]->ended, running[i]->log));
  }
}

}  // namespace dpm::control
