// The commands that are about single processes: addprocess, acquire, input, endinput, removeprocess, and removejob,
// which removes them all.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>
#include <utility>

#include "backends/linux/remote/controller/controller.hpp"
#include "backends/linux/remote/controller/machine_names.hpp"
#include "backends/linux/remote/controller/process_states.hpp"

namespace dpm::control {
namespace {

std::string current_folder() {
  std::error_code failed;
  const auto folder = std::filesystem::current_path(failed);
  return failed ? "" : folder.string();
}

// "'A' is running, 'B' is new; 'stopjob foo' comes first"
std::string stuck_text(const std::vector<ProcessRecord*>& processes, const std::string& job_name) {
  std::string text;
  for (const auto* process : processes)
    if (!process->is_unreachable && !after(Action::remove, process->state).has_value())
      text += (text.empty() ? "'" : ", '") + process->name + "' is " + state_name(process->state);
  return text.empty() ? text : text + "; 'stopjob " + job_name + "' comes first";
}

// "'A' on red is unreachable, 'B' on red is unreachable"
std::string unreachable_text(const std::vector<ProcessRecord*>& processes) {
  std::string text;
  for (const auto* process : processes)
    if (process->is_unreachable)
      text += (text.empty() ? "'" : ", '") + process->name + "' on " + process->machine + " is unreachable";
  return text;
}

}  // namespace

Controller::Outcome Controller::add_process(const Words& words, const std::optional<std::string>& input) {
  const std::string &machine = words[1], &file = words[2];
  const auto job = computation_.job(words[0]);
  if (!job) return fail("addprocess: " + job.error().what);
  const auto filter = computation_.filter((*job)->filter);
  if (!filter) return fail("addprocess: " + filter.error().what);
  if (!(*filter)->ended.empty())
    return fail("addprocess: filter '" + (*filter)->name + "' has ended: " + (*filter)->ended);
  if (auto good = check_machine_name(machine); !good) return fail("addprocess: " + good.error().what);
  std::string name = std::filesystem::path(file).filename();
  if (name.empty()) return fail("addprocess: '" + file + "' names no file");

  CreateProcess request{
      .job = (*job)->name, .directory = current_folder(), .flags = (*job)->flags, .filter = (*filter)->address};
  request.arguments.assign(words.begin() + 3, words.end());
  auto place = copies_.place(machine, file, FileUse::executable);
  if (!place) return fail("process '" + name + "' was not created: " + place.error().what);
  request.file = *std::move(place);
  if (input.has_value()) {
    auto input_place = copies_.place(machine, *input, FileUse::input);
    if (!input_place) return fail("process '" + name + "' was not created: " + input_place.error().what);
    request.input = *std::move(input_place);
  }
  // The name it will have, if it is created.
  auto& process = computation_.add_process(**job, name);
  request.name = name = process.name;
  auto created = expect<ProcessCreated>(machines_.ask({{machine, std::move(request)}}).at(0));
  if (!created) {
    (*job)->processes.pop_back();
    return fail("process '" + name + "' was not created: " + created.error().what);
  }
  process.machine = machine;
  process.pid = created->pid;
  process.flags = (*job)->flags;
  known_machines_.remember(machine);
  say("process '" + name + "' was created: identifier = " + std::to_string(process.pid));
  if (!created->warning.empty()) say("process '" + name + "' " + created->warning);
  return Outcome::done;
}

Controller::Outcome Controller::acquire(const Words& words) {
  const std::string& machine = words[1];
  const auto job = computation_.job(words[0]);
  if (!job) return fail("acquire: " + job.error().what);
  const auto filter = computation_.filter((*job)->filter);
  if (!filter) return fail("acquire: " + filter.error().what);
  if (!(*filter)->ended.empty())
    return fail("acquire: filter '" + (*filter)->name + "' has ended: " + (*filter)->ended);
  if (auto good = check_machine_name(machine); !good) return fail("acquire: " + good.error().what);
  std::uint32_t pid = 0;
  const auto [end, error] = std::from_chars(words[2].data(), words[2].data() + words[2].size(), pid);
  if (error != std::errc() || end != words[2].data() + words[2].size() || pid == 0)
    return fail("acquire: '" + words[2] + "' is not a process identifier: a number such as 2120");
  if (computation_.process_at(machine, pid) != nullptr)
    return fail("acquire: process " + words[2] + " on " + machine + " is part of a job already");

  auto taken = expect<ProcessCreated>(
      machines_.ask({{machine, AcquireProcess{(*job)->name, pid, (*job)->flags, (*filter)->address}}}).at(0));
  if (!taken) return fail("process " + words[2] + " was not acquired: " + taken.error().what);
  auto& process = computation_.add_process(**job, taken->name.empty() ? words[2] : taken->name);
  process.machine = machine;
  process.pid = taken->pid;
  process.state = ProcessState::acquired;
  process.flags = (*job)->flags;
  known_machines_.remember(machine);
  say("process '" + process.name + "' was acquired: identifier = " + std::to_string(process.pid));
  if (!taken->warning.empty()) say("process '" + process.name + "' " + taken->warning);
  return Outcome::done;
}

Controller::Outcome Controller::send_input(const Words& words, bool is_end) {
  const std::string command = is_end ? "endinput: " : "input: ";
  const auto job = computation_.job(words[0]);
  if (!job) return fail(command + job.error().what);
  const auto process = computation_.process(**job, words[1]);
  if (!process) return fail(command + process.error().what);
  if ((*process)->state == ProcessState::acquired)
    return fail(command + "'" + words[1] + "' is acquired: its input is not ours");
  if (!(*process)->is_active()) return fail(command + "'" + words[1] + "' is killed");
  Input request{.pid = (*process)->pid, .end = is_end};
  for (std::size_t i = 2; i < words.size(); ++i) request.bytes += (i == 2 ? "" : " ") + words[i];
  if (!is_end) request.bytes += '\n';
  if (request.bytes.size() > kChunkBytesMax) return fail(command + "the line is too long");
  const auto done = expect<Done>(machines_.ask({{(*process)->machine, std::move(request)}}).at(0));
  if (!done) return fail(command + done.error().what);
  return Outcome::done;
}

Controller::Outcome Controller::remove_job(const std::string& name) {
  const auto job = computation_.job(name);
  if (!job) return fail("removejob: " + job.error().what);
  std::vector<ProcessRecord*> processes;
  for (auto& process : (*job)->processes) processes.push_back(&process);
  if (const auto why_not = why_not_removed(processes, name, "removejob " + name); !why_not.empty())
    return fail("job '" + name + "' was not removed: " + why_not);
  const auto removed = remove(processes);
  std::size_t next = 0;
  std::erase_if((*job)->processes, [&](const ProcessRecord&) { return removed[next++]; });
  if (!(*job)->processes.empty()) return fail("job '" + name + "' was not removed");
  computation_.remove_job(**job);
  return Outcome::done;
}

Controller::Outcome Controller::remove_process(const std::string& job_name, const std::string& name) {
  const auto job = computation_.job(job_name);
  if (!job) return fail("removeprocess: " + job.error().what);
  const auto process = computation_.process(**job, name);
  if (!process) return fail("removeprocess: " + process.error().what);
  if (const auto why_not = why_not_removed({*process}, job_name, "removeprocess " + job_name + " " + name);
      !why_not.empty())
    return fail("'" + name + "' was not removed: " + why_not);
  if (!remove({*process}).at(0)) return Outcome::failed;
  std::erase_if((*job)->processes, [&](const ProcessRecord& record) { return &record == *process; });
  return Outcome::done;
}

// A machine that cannot be reached may be gone for good: then its processes are given up, but not by mistake.
std::string Controller::why_not_removed(const std::vector<ProcessRecord*>& processes, const std::string& job_name,
                                        const std::string& command) {
  const bool was_warned = std::exchange(warned_of_, "") == command;
  std::set<std::string> lost;
  for (const auto* process : processes)
    if (process->is_unreachable) lost.insert(process->machine);
  std::vector<Question> questions;
  for (const auto& machine : lost) questions.push_back({machine, ListCharges{}});
  // If one answers, it has been found, and what became of its processes is reported.
  const auto answers = machines_.ask(std::move(questions));
  show_reports();
  if (auto stuck = stuck_text(processes, job_name); !stuck.empty()) return stuck;
  const auto unreachable = unreachable_text(processes);
  if (unreachable.empty() || was_warned) return "";
  warned_of_ = command;
  const auto failed = std::find_if(answers.begin(), answers.end(), [](const Answer& answer) { return !answer; });
  return unreachable + (failed == answers.end() ? "" : " (" + failed->error().what + ")") + "; '" + command +
         "' once more gives up what is unreachable";
}

// Kills the stopped ones; then their daemons forget the killed and let go the acquired. Which of them are gone.
std::vector<bool> Controller::remove(const std::vector<ProcessRecord*>& all) {
  std::vector<bool> removed;
  std::vector<ProcessRecord*> processes;
  for (auto* process : all) {
    if (!process->is_unreachable) {
      processes.push_back(process);
      continue;
    }
    given_up_.emplace(process->machine, process->pid);
    say("'" + process->name + "' given up: what becomes of it on " + process->machine + " is not known here");
  }
  const auto gone = remove_reachable(processes);
  std::size_t next = 0;
  for (const auto* process : all) removed.push_back(process->is_unreachable || gone[next++]);
  return removed;
}

std::vector<bool> Controller::remove_reachable(const std::vector<ProcessRecord*>& processes) {
  std::vector<Question> kills, releases;
  for (const auto* process : processes)
    if (process->state == ProcessState::stopped) kills.push_back({process->machine, KillProcess{process->pid}});
  auto killed = machines_.ask(std::move(kills));
  std::vector<std::string> failures(processes.size());
  for (std::size_t i = 0, next = 0; i < processes.size(); ++i) {
    if (processes[i]->state != ProcessState::stopped) continue;
    if (auto done = expect<Done>(std::move(killed[next++])); done) {
      processes[i]->state = ProcessState::killed;
    } else {
      failures[i] = done.error().what;
    }
  }
  for (std::size_t i = 0; i < processes.size(); ++i)
    if (failures[i].empty()) releases.push_back({processes[i]->machine, Release{processes[i]->pid}});
  auto released = machines_.ask(std::move(releases));
  std::vector<bool> removed(processes.size());
  for (std::size_t i = 0, next = 0; i < processes.size(); ++i) {
    if (failures[i].empty()) {
      auto done = expect<Done>(std::move(released[next++]));
      // A killed process is nothing any more, whether or not its machine can be told.
      if (!done && processes[i]->state != ProcessState::killed) failures[i] = done.error().what;
    }
    removed[i] = failures[i].empty();
    if (!removed[i]) {
      fail("'" + processes[i]->name + "' was not removed: " + failures[i]);
    } else if (processes[i]->state == ProcessState::acquired && processes[i]->ended.empty()) {
      say("'" + processes[i]->name + "' removed: it goes on without a meter");
    } else {
      say("'" + processes[i]->name + "' removed");
    }
  }
  return removed;
}

}  // namespace dpm::control
