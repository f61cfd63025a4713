#include "control/controller/removal_commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "control/controller/deliveries.hpp"
#include "control/controller/process_states.hpp"

namespace dpm::control {
namespace {

// "'A' is running, 'B' is new; 'stopjob foo' comes first"
std::string stuck_text(const std::vector<ProcessRecord*>& processes, const std::string& job_name) {
  std::string text;
  for (const auto* process : processes)
    if (!process->is_unreachable && !after(Action::remove, process->state).has_value())
      text += fmt::format("{}{}' is {}", text.empty() ? "'" : ", '", process->name, state_name(process->state));
  return text.empty() ? text : fmt::format("{}; 'stopjob {}' comes first", text, job_name);
}

// "'A' on red is unreachable, 'B' on red is unreachable"
std::string unreachable_text(const std::vector<ProcessRecord*>& processes) {
  std::string text;
  for (const auto* process : processes)
    if (process->is_unreachable)
      text += fmt::format("{}{}' on {} is unreachable", text.empty() ? "'" : ", '", process->name, process->machine);
  return text;
}

}  // namespace

Outcome RemovalCommands::remove_job(const std::string& name) {
  const auto job = computation_.job(name);
  if (!job) return console_.fail("removejob: " + job.error().what);
  std::vector<ProcessRecord*> processes;
  for (auto& process : (*job)->processes) processes.push_back(&process);
  if (const auto why_not = why_not_removed(processes, name, "removejob " + name); !why_not.empty())
    return console_.fail(fmt::format("job '{}' was not removed: {}", name, why_not));
  const auto removed = remove(processes);
  std::size_t next = 0;
  std::erase_if((*job)->processes, [&](const ProcessRecord&) { return removed[next++]; });
  if (!(*job)->processes.empty()) return console_.fail(fmt::format("job '{}' was not removed", name));
  computation_.remove_job(**job);
  return Outcome::done;
}

Outcome RemovalCommands::remove_process(const std::string& job_name, const std::string& name) {
  const auto job = computation_.job(job_name);
  if (!job) return console_.fail("removeprocess: " + job.error().what);
  const auto process = computation_.process(**job, name);
  if (!process) return console_.fail("removeprocess: " + process.error().what);
  if (const auto why_not = why_not_removed({*process}, job_name, "removeprocess " + job_name + " " + name);
      !why_not.empty())
    return console_.fail(fmt::format("'{}' was not removed: {}", name, why_not));
  if (!remove({*process}).at(0)) return Outcome::failed;
  std::erase_if((*job)->processes, [&](const ProcessRecord& record) { return &record == *process; });
  return Outcome::done;
}

// An unreachable machine may never return: its processes can be given up, but only when the user knows of it.
std::string RemovalCommands::why_not_removed(const std::vector<ProcessRecord*>& processes, const std::string& job_name,
                                             const std::string& command) {
  std::set<std::string> lost;
  for (const auto* process : processes)
    if (process->is_unreachable) lost.insert(process->machine);
  std::vector<Question> questions;
  for (const auto& machine : lost) questions.push_back({machine, ListManaged{}});
  // A machine that answers reports the states of its processes.
  const auto answers = machines_.ask(std::move(questions));
  reports_.catch_up();
  if (auto stuck = stuck_text(processes, job_name); !stuck.empty()) return stuck;
  const auto unreachable = unreachable_text(processes);
  bool is_known = true;
  for (auto* process : processes)
    if (process->is_unreachable) is_known &= std::exchange(process->may_be_given_up, true);
  if (is_known) return "";
  const auto failed = std::find_if(answers.begin(), answers.end(), [](const Answer& answer) { return !answer; });
  return unreachable + (failed == answers.end() ? "" : fmt::format(" ({})", failed->error().what)) + "; '" + command +
         "' again gives up unreachable processes";
}

// Kills stopped processes; then the daemons forget killed processes and let go of acquired ones. Returns which are gone.
std::vector<bool> RemovalCommands::remove(const std::vector<ProcessRecord*>& all) {
  reports_.flush();  // the last of their output
  std::vector<bool> removed;
  std::vector<ProcessRecord*> processes;
  for (auto* process : all) {
    if (!process->is_unreachable) {
      processes.push_back(process);
      continue;
    }
    computation_.give_up(process->machine, process->pid);
    if (const auto left = Deliveries(computation_).keep(*process); !left.empty()) console_.say(left);
    console_.say(fmt::format("'{}' given up: its state on {} is unknown", process->name, process->machine));
  }
  const auto gone = remove_reachable(processes);
  std::size_t next = 0;
  for (const auto* process : all) removed.push_back(process->is_unreachable || gone[next++]);
  return removed;
}

std::vector<bool> RemovalCommands::remove_reachable(const std::vector<ProcessRecord*>& processes) {
  std::vector<Question> kills, releases;
  for (const auto* process : processes)
    if (process->state == ProcessState::stopped) kills.push_back({process->machine, KillProcess{process->pid}});
  auto killed = machines_.ask(std::move(kills));
  std::vector<std::string> failures(processes.size());
  for (std::size_t i = 0, next = 0; i < processes.size(); ++i) {
    if (processes[i]->state != ProcessState::stopped) continue;
    if (auto done = expect<Done>(std::move(killed[next++])); done) {
      processes[i]->enter(ProcessState::killed);
    } else {
      failures[i] = done.error().what;
    }
  }
  for (std::size_t i = 0; i < processes.size(); ++i)
    if (failures[i].empty() && !processes[i]->is_forgotten)
      releases.push_back({processes[i]->machine, Release{processes[i]->pid}});
  auto released = machines_.ask(std::move(releases));
  std::vector<bool> removed(processes.size());
  std::vector<std::string> notes(processes.size());
  for (std::size_t i = 0, next = 0; i < processes.size(); ++i) {
    if (failures[i].empty() && !processes[i]->is_forgotten) {
      auto done = expect<Done>(std::move(released[next++]));
      // The record of a killed process can be removed even if its machine does not answer.
      if (!done && processes[i]->state != ProcessState::killed) failures[i] = done.error().what;
      if (done && !done->note.empty()) notes[i] = "; " + done->note;
    }
    removed[i] = failures[i].empty();
    if (!removed[i]) {
      console_.fail(fmt::format("'{}' was not removed: {}", processes[i]->name, failures[i]));
    } else if (processes[i]->state == ProcessState::acquired && processes[i]->ended.empty()) {
      console_.say(fmt::format("'{}' removed: it continues unmetered", processes[i]->name));
    } else {
      console_.say(fmt::format("'{}' removed{}", processes[i]->name, notes[i]));
    }
    if (!removed[i]) continue;
    if (const auto left = Deliveries(computation_).keep(*processes[i]); !left.empty()) console_.say(left);
  }
  return removed;
}

}  // namespace dpm::control
