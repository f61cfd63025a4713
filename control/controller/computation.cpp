#include "control/controller/computation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/nearest_name.hpp"

namespace dpm::control {
namespace {

template <typename Records>
auto* find_named(Records& records, std::string_view name) {
  const auto found =
      std::find_if(records.begin(), records.end(), [&](const auto& record) { return record.name == name; });
  return found == records.end() ? nullptr : &*found;
}

template <typename Records>
Error unknown(const std::string& what, std::string_view name, const Records& records, const std::string& where = "") {
  std::vector<std::string> names;
  for (const auto& record : records) names.push_back(record.name);
  return Error{fmt::format("no {} '{}'{}{}", what, name, where, did_you_mean(name, names))};
}

}  // namespace

Result<FilterRecord*> Computation::filter(std::string_view name) {
  if (auto* found = find_named(filters_, name)) return found;
  return unknown("filter", name, filters_);
}

Result<Job*> Computation::job(std::string_view name) {
  if (auto* found = find_named(jobs_, name)) return found;
  if (jobs_.empty()) return Error{fmt::format("no job '{}': newjob makes one", name)};
  return unknown("job", name, jobs_);
}

Result<ProcessRecord*> Computation::process(Job& job, std::string_view name) {
  if (auto* found = find_named(job.processes, name)) return found;
  return unknown("process", name, job.processes, " in job '" + job.name + "'");
}

std::vector<std::string> Computation::active_processes_of(const FilterRecord& filter) const {
  std::vector<std::string> active;
  for (const auto& job : jobs_)
    for (const auto& process : job.processes)
      if (job.filter == filter.name && process.is_active())
        active.push_back(fmt::format("'{}' in job '{}'", process.name, job.name));
  return active;
}

FilterRecord* Computation::filter_with(const FilterAddress& address) {
  for (auto& filter : filters_)
    if (filter.address.id == address.id) return &filter;
  return nullptr;
}

bool Computation::has_filter(std::string_view name) const { return find_named(filters_, name) != nullptr; }
bool Computation::has_job(std::string_view name) const { return find_named(jobs_, name) != nullptr; }

Job& Computation::add_job(const std::string& name, const std::string& filter) {
  return jobs_.emplace_back(Job{.number = ++jobs_made_, .name = name, .filter = filter});
}

ProcessRecord& Computation::add_process(Job& job, const std::string& name) {
  std::string unique = name;
  for (unsigned i = 2; find_named(job.processes, unique) != nullptr; ++i) unique = fmt::format("{}.{}", name, i);
  auto& process = job.processes.emplace_back();
  process.name = unique;
  return process;
}

void Computation::remove_job(const Job& job) {
  const unsigned number = job.number;
  std::erase_if(jobs_, [&](const Job& other) { return other.number == number; });
}

void Computation::remove_filter(const FilterRecord& filter) {
  const std::string name = filter.name;
  std::erase_if(filters_, [&](const FilterRecord& other) { return other.name == name; });
  // Another filter may take the name.
  std::erase_if(removed_deliveries_, [&](const RemovedDelivery& removed) { return removed.filter == name; });
}

void Computation::remove_unmetered(std::string_view machine, std::uint32_t pid) {
  for (auto& job : jobs_)
    std::erase_if(job.processes, [&](const ProcessRecord& process) {
      return process.is_unmetered && process.pid == pid && process.machine == machine;
    });
}

ProcessRecord* Computation::process_at(std::string_view machine, std::uint32_t pid, const Job** its_job) {
  for (auto& job : jobs_) {
    for (auto& process : job.processes) {
      if (process.pid != pid || process.machine != machine || process.is_forgotten) continue;
      if (its_job != nullptr) *its_job = &job;
      return &process;
    }
  }
  return nullptr;
}

FilterRecord* Computation::filter_at(std::string_view machine, std::uint32_t pid) {
  for (auto& filter : filters_)
    if (filter.pid == pid && filter.machine == machine && !filter.is_forgotten) return &filter;
  return nullptr;
}

void Computation::note_new(std::string_view machine, std::uint32_t pid) {
  constexpr const char* kReplaced = "unknown: its number belongs to another process now";
  if (auto* process = process_at(machine, pid)) {
    if (process->ended.empty()) process->ended = kReplaced;
    if (process->state != ProcessState::acquired) process->state = ProcessState::killed;
    process->is_forgotten = true;
  }
  if (auto* filter = filter_at(machine, pid)) {
    if (filter->ended.empty()) filter->ended = kReplaced;
    filter->is_forgotten = true;
  }
  given_up_.erase({std::string(machine), pid});
}

std::string Computation::mark(const Job& job, const ProcessRecord& process) const {
  for (const auto& other : jobs_)
    if (other.number != job.number && find_named(other.processes, process.name) != nullptr)
      return fmt::format("{}/{}", job.name, process.name);
  return process.name;
}

}  // namespace dpm::control
