#include "control/controller/predicted_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace dpm::control {
namespace {

// "A" of "A", "A.2" (in a job) and "A#2" (in a trace).
std::string_view program_of(std::string_view process) {
  const auto at = process.find_last_of(".#");
  if (at == std::string_view::npos || at + 1 == process.size()) return process;
  const bool is_number = process.find_first_not_of("0123456789", at + 1) == std::string_view::npos;
  return is_number ? process.substr(0, at) : process;
}

// Machines of the processes of a program, in the order of their numbers.
std::vector<std::string> places_of(const Job& job, std::string_view program) {
  std::vector<std::pair<std::string, std::string>> found;
  for (const auto& [process, machine] : job.placement)
    if (program_of(process) == program) found.emplace_back(process, machine);
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return a.first.size() != b.first.size() ? a.first.size() < b.first.size() : a.first < b.first;
  });
  std::vector<std::string> machines;
  for (auto& [process, machine] : found) machines.push_back(std::move(machine));
  return machines;
}

}  // namespace

Result<std::string> next_machine(const Job& job, const std::string& program) {
  if (job.placement.empty())
    return Error{
        fmt::format("job '{}' has no placement: 'newjob {} --placement FILE' gives it one (dpm predict --write)",
                    job.name, job.name)};
  const auto places = places_of(job, program);
  const auto added = static_cast<std::size_t>(
      std::count_if(job.processes.begin(), job.processes.end(),
                    [&](const ProcessRecord& process) { return program_of(process.name) == program; }));
  if (added < places.size()) return places[added];
  if (places.empty())
    return Error{fmt::format("the placement of job '{}' has no process '{}': name a machine", job.name, program)};
  return Error{fmt::format("the placement of job '{}' has {} of '{}', and the job has as many: name a machine",
                           job.name, places.size(), program)};
}

Lines suggestions(const Job& job) {
  Lines lines;
  std::map<std::string_view, std::size_t> seen;
  for (const ProcessRecord& process : job.processes) {
    const std::string_view program = program_of(process.name);
    const auto places = places_of(job, program);
    const std::size_t number = seen[program]++;
    if (number >= places.size() || places[number] == process.machine) continue;
    lines.push_back(
        fmt::format("'{}' is on {}; the placement has it on {}: 'addprocess {} auto {}' puts it there next time",
                    process.name, process.machine, places[number], job.name, program));
  }
  return lines;
}

}  // namespace dpm::control
