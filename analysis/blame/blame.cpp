#include "analysis/blame/blame.hpp"

#include "analysis/blame/exact_division.hpp"
#include "analysis/blame/line_builder.hpp"
#include "model/check.hpp"

namespace dpm {
namespace {

std::vector<ProcessLine> lines_of(std::span<const Event> events, std::span<const std::int64_t> times_ns,
                                  const TraceInfo& info) {
  DPM_CHECK(events.size() == times_ns.size());
  std::vector<std::vector<std::uint32_t>> own(info.processes.size());
  for (std::uint32_t i = 0; i < events.size(); ++i)
    if (events[i].process.value < own.size() && events[i].type != EventType::message_queued)
      own[events[i].process.value].push_back(i);
  const LineBuilder builder(events, times_ns, info);
  std::vector<ProcessLine> lines(own.size());
  for (std::size_t p = 0; p < own.size(); ++p) {
    if (!own[p].empty()) lines[p] = builder.line_of(own[p]);
    lines[p].machine = info.processes[p].machine;
  }
  return lines;
}

CpuContention contention_of(std::span<const ProcessLine> lines, const TraceInfo& info) {
  CpuContention contention;
  for (const ProcessLine& line : lines) {
    for (const ProcessGap& gap : line.gaps) {
      // Each part has its share of what the gap wants; the idle time between them wants nothing.
      const std::int64_t wanted_ns = gap.cpu_ns + gap.ready_ns, busy_ns = gap.busy_ns();
      for (const BlameInterval part : {BlameInterval{gap.from_ns, gap.idle_from_ns}, {gap.idle_to_ns, gap.to_ns}})
        contention.add(line.machine, part.from_ns, part.to_ns, share_until(wanted_ns, part.length_ns(), busy_ns));
    }
  }
  for (std::uint16_t machine = 0; machine < info.machines.size(); ++machine)
    contention.settle(MachineId{machine}, info.machines[machine].cores);
  return contention;
}

}  // namespace

BlameAnalysis::BlameAnalysis(std::span<const Event> events, std::span<const std::int64_t> times_ns,
                             const TraceInfo& info, BlameOptions options)
    : options_(options),
      lines_(lines_of(events, times_ns, info)),
      contention_(contention_of(lines_, info)),
      causes_(lines_, info.wait_causes) {}

const ProcessLine* BlameAnalysis::line_of(ProcessId process) const {
  return process.value < lines_.size() && lines_[process.value].seen ? &lines_[process.value] : nullptr;
}

std::optional<ProcessId> BlameAnalysis::longest() const {
  std::optional<ProcessId> longest;
  std::int64_t longest_ns = -1;
  for (std::uint32_t p = 0; p < lines_.size(); ++p) {
    const std::int64_t life_ns = lines_[p].last_ns - lines_[p].first_ns;
    if (!lines_[p].seen || life_ns <= longest_ns) continue;
    longest_ns = life_ns;
    longest = ProcessId{p};
  }
  return longest;
}

std::optional<BlameInterval> BlameAnalysis::lifetime(ProcessId process) const {
  const ProcessLine* const line = line_of(process);
  if (line == nullptr) return std::nullopt;
  return Interval{line->first_ns, line->last_ns};
}

std::size_t BlameAnalysis::requests(ProcessId process) const {
  const ProcessLine* const line = line_of(process);
  return line == nullptr ? 0 : line->requests.size();
}

std::optional<BlameInterval> BlameAnalysis::request(ProcessId process, std::size_t number) const {
  if (number == 0 || number > requests(process)) return std::nullopt;
  return line_of(process)->requests[number - 1].interval;
}

bool BlameAnalysis::is_measured(ProcessId process) const {
  const ProcessLine* const line = line_of(process);
  return line != nullptr && line->measured;
}

BlameNode BlameAnalysis::divide(ProcessId process, Interval interval) const {
  BlameNode node = ExactDivision(lines_, contention_, options_.depth_max).divide(process, interval);
  causes_.name_in(node);
  node.sort_longest_first();
  return node;
}

SampledBlame BlameAnalysis::divide(ProcessId process, Interval interval, const SampledStates& states) const {
  SampledBlame found = SampledDivision(lines_, states, options_.depth_max).divide(process, interval);
  found.root.sort_longest_first();
  return found;
}

}  // namespace dpm
