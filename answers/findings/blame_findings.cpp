#include "answers/findings/blame_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "answers/findings/recorded_samples.hpp"
#include "model/nearest_name.hpp"

namespace dpm::cli {
namespace {

using Interval = BlameAnalysis::Interval;

Result<ProcessId> process_named(const std::string& name, const BlameAnalysis& blame, const TraceInfo& info) {
  std::vector<std::string> names;
  for (std::uint32_t p = 0; p < info.processes.size(); ++p) {
    if (!blame.lifetime({p})) continue;
    if (info.processes[p].name == name) return ProcessId{p};
    names.push_back(info.processes[p].name);
  }
  const std::string nearest = nearest_name(name, names);
  return Error{"--of: the trace has no process '" + name + "'" +
               (nearest.empty() ? " (dpm statistics lists them)" : "; did you mean '" + nearest + "'?")};
}

LocalTime first_of(MachineId machine, std::span<const Event> events) {
  LocalTime first{INT64_MAX};
  for (const Event& event : events)
    if (event.machine == machine) first = std::min(first, event.local_time);
  return first;
}

std::string what_of(const BlameQuestion& question, const std::string& name) {
  std::string what = question.request == 0 ? name : fmt::format("request {} of {}", question.request, name);
  if (question.from_s) what += fmt::format(" from {:.9g} s", *question.from_s);
  if (question.to_s) what += fmt::format(" to {:.9g} s", *question.to_s);
  return what;
}

// The file to divide by; empty: exactly, as far as the trace has the times.
std::string samples_for(const BlameQuestion& question, bool is_measured, const std::string& trace_directory) {
  if (!question.samples.empty() || is_measured) return question.samples;
  const std::string beside = samples_beside(trace_directory);
  std::error_code error;
  return std::filesystem::exists(beside, error) ? beside : "";
}

}  // namespace

BlameFinder::BlameFinder(std::span<const Event> events, const ClockAnalysis& clocks, const TraceInput& input)
    : events_(events),
      input_(input),
      time_(clocks.result()),
      times_ns_(time_.times_ns(events)),
      blame_(events, times_ns_, input.info) {}

Result<Interval> BlameFinder::interval_of(const BlameQuestion& question, ProcessId process) const {
  auto interval = question.request == 0 ? blame_.lifetime(process) : blame_.request(process, question.request);
  const std::string& name = input_.info[process].name;
  if (!interval)
    return Error{fmt::format("--request {}: '{}' made {} requests that were answered", question.request, name,
                             blame_.requests(process))};
  if (!question.from_s && !question.to_s) return *interval;
  const MachineId machine = input_.info[process].machine;
  const LocalTime begin =
      machine.value < question.begins.size() ? question.begins[machine.value] : first_of(machine, events_);
  const auto at_ns = [&](double seconds) { return time_.at(machine, {begin.ns + std::llround(seconds * 1e9)}).ns; };
  if (question.from_s) interval->from_ns = at_ns(*question.from_s);
  if (question.to_s) interval->to_ns = at_ns(*question.to_s);
  if (interval->to_ns > interval->from_ns) return *interval;
  return Error{fmt::format("--from, --to: '{}' has no time between them", name)};
}

Result<std::optional<BlameTree>> BlameFinder::find(const BlameQuestion& question) const {
  const auto longest = blame_.longest();
  if (!longest) return std::optional<BlameTree>();
  const auto process =
      question.of.empty() ? Result<ProcessId>(*longest) : process_named(question.of, blame_, input_.info);
  if (!process) return process.error();
  const std::string& name = input_.info[*process].name;
  const auto interval = interval_of(question, *process);
  if (!interval) return interval.error();
  BlameTree tree{.what = what_of(question, name), .is_measured = blame_.is_measured(*process)};
  const std::string samples = samples_for(question, tree.is_measured, input_.directory);
  if (!samples.empty()) {
    const auto states = read_recorded_samples(samples, input_.info, time_);
    if (!states) return states.error();
    auto found = blame_.divide(*process, *interval, *states);
    if (found.samples > 0) {
      tree.root = std::move(found.root);
      tree.samples = found.samples;
      return std::optional(std::move(tree));
    }
    if (!question.samples.empty())
      return Error{fmt::format("{}: no sample was taken during {}, which took {:.3g} s", samples, tree.what,
                               static_cast<double>(interval->to_ns - interval->from_ns) * 1e-9)};
  }
  tree.root = blame_.divide(*process, *interval);
  return std::optional(std::move(tree));
}

Result<std::optional<BlameTree>> find_blame(std::span<const Event> events, const ClockAnalysis& clocks,
                                            const TraceInput& input, const BlameQuestion& question) {
  return BlameFinder(events, clocks, input).find(question);
}

}  // namespace dpm::cli
