#include "backends/linux/remote/controller/reports.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backends/linux/remote/controller/listed.hpp"
#include "backends/linux/remote/controller/process_states.hpp"

namespace dpm::control {
namespace {

std::string count_text(std::size_t count, const std::string& noun, const std::string& plural) {
  return fmt::format("{} {}", count, count == 1 ? noun : plural);
}

}  // namespace

void Reports::show() {
  for (const auto& report : machines_.take_reports())
    std::visit([&](const auto& what) { take(report.machine, what); }, report.what);
}

void Reports::take(const std::string& machine, const StateChanged& report) {
  const Job* job = nullptr;
  auto* process = computation_.process_at(machine, report.pid, &job);
  if (process == nullptr) return;  // removed meanwhile
  if (process->state == ProcessState::acquired) {
    if (report.state == ProcessState::killed && process->ended.empty()) show_end(*job, *process, report.reason);
    return;
  }
  for (const auto state : way_to(report.state, process->state)) {
    process->state = state;
    // A process that is killed while new passes through stopped, which is not reported.
    if (state == ProcessState::stopped && report.state == state)
      console_.say("  STOPPED: process " + process->name + " in job '" + job->name + "'" +
                   (report.reason.empty() ? "" : ": reason: " + report.reason));
    if (state == ProcessState::running)
      console_.say(fmt::format("  RUNNING: process {} in job '{}' again", process->name, job->name));
    if (state == ProcessState::killed) show_end(*job, *process, report.reason);
  }
}

void Reports::show_end(const Job& job, ProcessRecord& process, const std::string& reason) {
  process.ended = reason.empty() ? "unknown" : reason;
  show_output(job, process, process.output.flush());
  console_.say(
      fmt::format("  DONE: process {} in job '{}' terminated: reason: {}", process.name, job.name, process.ended));
}

void Reports::take(const std::string& machine, const Output& report) {
  const Job* job = nullptr;
  auto* process = computation_.process_at(machine, report.pid, &job);
  if (process == nullptr) return;
  if (report.dropped_bytes > 0) {
    show_output(*job, *process, process->output.flush());
    console_.say(fmt::format("  LOST: {} that process {} in job '{}' printed while no controller listened",
                             count_text(report.dropped_bytes, "byte", "bytes"), process->name, job->name));
  }
  show_output(*job, *process, process->output.add(report.bytes));
}

void Reports::show_output(const Job& job, const ProcessRecord& process, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  const std::string mark = computation_.mark(job, process) + ": ";
  Lines marked;
  for (const auto& line : lines) marked.push_back(mark + line);
  console_.say(marked);
}

void Reports::flush() {
  for (auto& job : computation_.jobs())
    for (auto& process : job.processes) show_output(job, process, process.output.flush());
}

bool Reports::has_output_waiting() const {
  const auto& jobs = computation_.jobs();
  return std::any_of(jobs.begin(), jobs.end(), [](const Job& job) {
    return std::any_of(job.processes.begin(), job.processes.end(),
                       [](const auto& process) { return process.output.has_pending(); });
  });
}

void Reports::take(const std::string& machine, const FilterEnded& report) {
  auto* filter = computation_.filter_at(machine, report.pid);
  if (filter == nullptr) return;
  filter->ended = report.reason.empty() ? "unknown" : report.reason;
  console_.say(fmt::format("  DONE: filter '{}' on {} terminated: reason: {}", filter->name, machine, filter->ended));
}

void Reports::take(const std::string& machine, const MachineLost& report) {
  std::vector<std::string> names;
  for (auto& job : computation_.jobs()) {
    for (auto& process : job.processes) {
      if (process.machine != machine || !process.is_active()) continue;
      process.is_unreachable = true;
      names.push_back(computation_.mark(job, process));
    }
  }
  for (auto& filter : computation_.filters()) {
    if (filter.machine != machine || !filter.ended.empty()) continue;
    filter.is_unreachable = true;
    names.push_back("filter " + filter.name);
  }
  console_.say("  LOST: machine " + machine + ": " + report.why +
               (names.empty() ? "" : "; unreachable until a command reaches it again: " + listed(names)));
}

void Reports::take(const std::string& machine, const MachineFound& report) {
  const auto managed_at = [&](std::uint32_t pid) {
    const auto found = std::find_if(report.managed.begin(), report.managed.end(),
                                    [&](const auto& managed) { return managed.pid == pid; });
    return found == report.managed.end() ? nullptr : &*found;
  };
  for (auto& job : computation_.jobs()) {
    for (auto& process : job.processes) {
      if (process.machine != machine || !process.is_unreachable) continue;
      process.is_unreachable = false;
      const auto* managed = managed_at(process.pid);
      if (managed == nullptr) {
        take(machine, StateChanged{process.pid, ProcessState::killed, "unknown: it ended out of our reach"});
      } else {
        take(machine, StateChanged{process.pid, managed->state, managed->reason});
      }
    }
  }
  for (auto& filter : computation_.filters()) {
    if (filter.machine != machine || !filter.is_unreachable) continue;
    filter.is_unreachable = false;
    const auto* managed = managed_at(filter.pid);
    if (managed == nullptr) {
      take(machine, FilterEnded{filter.pid, "unknown: it ended out of our reach"});
    } else if (managed->state == ProcessState::killed) {
      take(machine, FilterEnded{filter.pid, managed->reason});
    }
  }
  std::vector<std::string> given_up;
  for (const auto& managed : report.managed)
    if (computation_.is_given_up(machine, managed.pid)) given_up.push_back(fmt::format("'{}'", managed.name));
  if (!given_up.empty())
    console_.say(fmt::format("  FOUND: machine {} still has what was given up: {}; 'adopt {}' takes it back", machine,
                             listed(given_up), machine));
  const auto left = static_cast<std::size_t>(
      std::count_if(report.managed.begin(), report.managed.end(), [&](const ManagedProcess& managed) {
        return !managed.attended && !computation_.is_given_up(machine, managed.pid) &&
               computation_.process_at(machine, managed.pid) == nullptr &&
               computation_.filter_at(machine, managed.pid) == nullptr;
      }));
  if (left > 0)
    console_.say(fmt::format("  FOUND: on machine {} a controller that is gone left {}; 'adopt {}' takes over", machine,
                             count_text(left, "process or filter", "processes and filters"), machine));
}

}  // namespace dpm::control
