#include "control/controller/reports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "control/controller/deliveries.hpp"
#include "control/controller/listed.hpp"
#include "control/controller/process_states.hpp"
#include "model/counted.hpp"

namespace dpm::control {
namespace {

constexpr const char* kRestarted = "the machine was started again";

}  // namespace

Reports::Reports(Machines& machines, Console& console, Computation& computation)
    : machines_(machines), console_(console), computation_(computation) {
  machines_.on_overflow([this](const std::vector<MachineReport>& output) {
    for (const auto& report : output) {
      if (const auto* what = std::get_if<Output>(&report.what)) take(report.machine, *what);
      if (const auto* what = std::get_if<EventsSeen>(&report.what)) take(report.machine, *what);
    }
  });
}

Reports::~Reports() { machines_.on_overflow(nullptr); }

void Reports::show() { backlog_.is_full() ? show_part() : catch_up(); }

bool Reports::show_later(const std::string& lines) {
  if (backlog_.room() < lines.size()) return false;
  for (const std::string& line : lines_of(lines)) tell(line);
  return true;
}

void Reports::catch_up() {
  for (const auto& report : machines_.take_reports())
    std::visit([&](const auto& what) { take(report.machine, what); }, report.what);
  if (on_taken_) on_taken_();
  show_part();
}

void Reports::show_part() {
  constexpr std::size_t kPartBytes = 4096;            // 40 ms of a terminal that takes 100 kB/s
  constexpr std::chrono::milliseconds kPartTime{20};  // a fast one takes everything in less
  const auto end = ProcessOutput::Clock::now() + kPartTime;
  while (!backlog_.empty()) {
    console_.say(backlog_.take(kPartBytes));
    if (ProcessOutput::Clock::now() >= end) return;
  }
}

void Reports::show_all() {
  while (!backlog_.empty() && !machines_.is_interrupted()) show_part();
}

void Reports::tell(const std::string& line) { backlog_.add("", {line}); }

void Reports::take(const std::string& machine, const StateChanged& report) {
  const Job* job = nullptr;
  auto* process = computation_.process_at(machine, report.pid, &job);
  if (process != nullptr) take(*job, *process, report);  // else it was removed meanwhile
}

void Reports::take(const Job& job, ProcessRecord& process, const StateChanged& report) {
  if (report.is_unmetered && !process.is_unmetered && process.is_active())
    tell(fmt::format("  UNMETERED: process {} in job '{}': {}", process.name, job.name, report.reason));
  process.is_unmetered = report.is_unmetered;
  if (process.state == ProcessState::acquired) {
    if (report.state == ProcessState::killed && process.ended.empty()) show_end(job, process, report.reason);
    return;
  }
  for (const auto state : way_to(report.state, process.state)) {
    process.state = state;
    // A process that is killed while new passes through stopped, which is not reported.
    if (state == ProcessState::stopped && report.state == state)
      tell("  STOPPED: process " + process.name + " in job '" + job.name + "'" +
           (report.reason.empty() || report.is_unmetered ? "" : ": reason: " + report.reason));
    if (state == ProcessState::running)
      tell(fmt::format("  RUNNING: process {} in job '{}' again", process.name, job.name));
    if (state == ProcessState::killed) show_end(job, process, report.reason);
  }
}

void Reports::show_end(const Job& job, ProcessRecord& process, const std::string& reason) {
  process.ended = reason.empty() ? "unknown" : reason;
  show_output(job, process, process.output.flush());
  tell(fmt::format("  DONE: process {} in job '{}' terminated: reason: {}", process.name, job.name, process.ended));
}

void Reports::take(const std::string& machine, const Output& report) {
  const Job* job = nullptr;
  auto* process = computation_.process_at(machine, report.pid, &job);
  if (process == nullptr) return;
  if (report.dropped_bytes > 0) {
    show_output(*job, *process, process->output.flush());
    tell(fmt::format("  LOST: {} that process {} in job '{}' printed while no controller listened",
                     counted(report.dropped_bytes, "byte"), process->name, job->name));
  }
  auto& output = process->output;
  const auto now = ProcessOutput::Clock::now();
  if (console_.keeps_everything()) {
    show_output(*job, *process, output.add_all(report.bytes, now));
    while (!backlog_.empty()) console_.say(backlog_.take(Backlog::kBytesMax));
    return;
  }
  const std::size_t mark_bytes = computation_.mark(*job, *process).size() + 2;
  show_output(*job, *process, output.add(report.bytes, mark_bytes, backlog_.room(), now));
}

void Reports::show_output(const Job& job, const ProcessRecord& process, const ProcessOutput::Shown& shown) {
  if (shown.cut_bytes > 0)
    tell(fmt::format("  CUT: {} that process {} in job '{}' printed, {}, are not shown; 'sink' with a file keeps all",
                     counted(shown.cut_bytes, "byte"), process.name, job.name, counted(shown.cut_lines, "line")));
  backlog_.add(computation_.mark(job, process) + ": ", shown.lines);
}

void Reports::flush() {
  for (auto& job : computation_.jobs())
    for (auto& process : job.processes) show_output(job, process, process.output.flush());
  show_part();
}

void Reports::flush_late() {
  const auto now = ProcessOutput::Clock::now();
  for (auto& job : computation_.jobs())
    for (auto& process : job.processes)
      if (process.output.is_late(now)) show_output(job, process, process.output.flush());
}

std::chrono::milliseconds Reports::patience() const {
  constexpr std::chrono::hours kAnyTime{1};
  if (!backlog_.empty()) return {};
  const auto& jobs = computation_.jobs();
  const bool has_pending = std::any_of(jobs.begin(), jobs.end(), [](const Job& job) {
    return std::any_of(job.processes.begin(), job.processes.end(),
                       [](const auto& process) { return process.output.has_pending(); });
  });
  return has_pending ? ProcessOutput::kShownAfter : kAnyTime;
}

void Reports::take(const std::string& machine, const FilterEnded& report) {
  auto* filter = computation_.filter_at(machine, report.pid);
  if (filter != nullptr) show_end(*filter, report.reason);
}

void Reports::show_end(FilterRecord& filter, const std::string& reason) {
  filter.ended = reason.empty() ? "unknown" : reason;
  tell(fmt::format("  DONE: filter '{}' on {} terminated: reason: {}", filter.name, filter.machine, filter.ended));
}

void Reports::take(const std::string& machine, const DeliveryChanged& report) {
  if (const auto news = Deliveries(computation_).take(machine, report); !news.empty()) tell(news);
}

void Reports::take(const std::string& machine, const EventsSeen& report) {
  if (on_events_) on_events_(machine, report);
}

void Reports::take(const std::string& machine, const MachineLost& report) {
  std::vector<std::string> names;
  for (auto& job : computation_.jobs()) {
    for (auto& process : job.processes) {
      if (process.machine != machine || process.is_forgotten) continue;
      process.is_in_doubt = true;
      if (!process.is_active()) continue;
      process.is_unreachable = true;
      names.push_back(computation_.mark(job, process));
    }
  }
  for (auto& filter : computation_.filters()) {
    if (filter.machine != machine || filter.is_unadopted() || filter.is_forgotten) continue;
    filter.is_in_doubt = true;
    if (!filter.ended.empty()) continue;
    filter.is_unreachable = true;
    names.push_back("filter " + filter.name);
  }
  tell("  LOST: machine " + machine + ": " + report.why +
       (names.empty() ? "" : "; unreachable until a command reaches it again: " + listed(names)));
}

void Reports::take(const std::string& machine, const MachineFound& report) {
  // Another process may have a number again that was ours before the machine was restarted.
  const auto managed_at = [&](std::uint32_t pid) -> const ManagedProcess* {
    if (report.is_restarted) return nullptr;
    const auto found = std::find_if(report.managed.begin(), report.managed.end(),
                                    [&](const auto& managed) { return managed.pid == pid; });
    return found == report.managed.end() ? nullptr : &*found;
  };
  std::vector<std::string> forgotten;
  for (auto& job : computation_.jobs()) {
    for (auto& process : job.processes) {
      if (process.machine != machine || !std::exchange(process.is_in_doubt, false)) continue;
      const auto* managed = managed_at(process.pid);
      process.is_forgotten = managed == nullptr && (report.is_restarted || !process.is_active());
      if (!process.is_unreachable) continue;
      if (managed == nullptr && !report.is_restarted) {
        process.is_in_doubt = true;
        forgotten.push_back(computation_.mark(job, process));
        continue;
      }
      process.is_unreachable = process.may_be_given_up = false;
      const bool is_older = std::exchange(process.is_changed_since, false) && managed != nullptr;
      take(job, process,
           managed == nullptr ? StateChanged{process.pid, ProcessState::killed, kRestarted}
                              : StateChanged{process.pid, is_older ? process.state : managed->state, managed->reason,
                                             managed->is_unmetered});
      if (managed != nullptr && managed->delivery != process.delivery)
        take(machine, DeliveryChanged{process.pid, job.name, process.name, job.filter, managed->delivery});
    }
  }
  if (!forgotten.empty())
    tell(fmt::format("  LOST: machine {} no longer knows: {}; it may have ended or may still run", machine,
                     listed(forgotten)));
  for (auto& filter : computation_.filters()) {
    if (filter.machine != machine || !std::exchange(filter.is_in_doubt, false)) continue;
    const auto* managed = managed_at(filter.pid);
    filter.is_forgotten = managed == nullptr;
    if (!std::exchange(filter.is_unreachable, false)) continue;
    filter.may_be_given_up = false;
    if (managed == nullptr) {
      show_end(filter, report.is_restarted ? kRestarted : "unknown: it ended while its machine was unreachable");
    } else if (managed->state == ProcessState::killed) {
      show_end(filter, managed->reason);
    }
    if (managed != nullptr && managed->delivery != filter.delivery)
      take(machine, DeliveryChanged{filter.pid, "", filter.name, filter.name, managed->delivery});
  }
  std::vector<std::string> given_up;
  for (const auto& managed : report.managed)
    if (computation_.is_given_up(machine, managed.pid)) given_up.push_back(fmt::format("'{}'", managed.name));
  if (!given_up.empty())
    tell(fmt::format(
        "  FOUND: machine {} still has processes or filters that were given up: {}; 'adopt {}' takes it back", machine,
        listed(given_up), machine));
  const auto left = static_cast<std::size_t>(
      std::count_if(report.managed.begin(), report.managed.end(), [&](const ManagedProcess& managed) {
        return !managed.attended && !computation_.is_given_up(machine, managed.pid) &&
               computation_.process_at(machine, managed.pid) == nullptr &&
               computation_.filter_at(machine, managed.pid) == nullptr;
      }));
  if (left > 0)
    tell(fmt::format("  FOUND: on machine {} a disconnected controller left {}; 'adopt {}' takes over", machine,
                     left == 1 ? "1 process or filter" : fmt::format("{} processes and filters", left), machine));
}

}  // namespace dpm::control
