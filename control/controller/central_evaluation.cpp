#include "control/controller/central_evaluation.hpp"

#include <fmt/format.h>

#include "model/counted.hpp"

namespace dpm::control {

CentralEvaluation::CentralEvaluation(const EventScript& script)
    : script_(script), evaluator_(script, [this](const HighLevelOccurrence& occurrence) { keep(occurrence); }) {}

void CentralEvaluation::place(std::size_t high_level, bool is_here) {
  evaluator_.redefine(high_level);
  if (!is_here) evaluator_.leave_out(high_level);
}

void CentralEvaluation::add(std::size_t event, const std::string& machine, const EventSeen& seen) {
  const auto next = static_cast<std::uint32_t>(processes_.size());
  const auto [known, is_new] = numbers_.try_emplace({machine, seen.pid}, next);
  if (is_new) processes_.push_back({machine, seen.pid, 0, {}});
  Process& process = processes_[known->second];
  ++process.events;
  process.last = seen.text;
  const VectorClock& clock = clocks_.perform(known->second);
  PrimitiveOccurrence occurrence{
      event, known->second, clocks_.count_of(known->second), static_cast<std::int64_t>(seen.time_ns), {}};
  occurrence.fields = {WholeNumber::of_bits(seen.value, seen.is_unsigned), known->second, -1, -1, -1};
  evaluator_.add(occurrence, clock);
}

void CentralEvaluation::keep(const HighLevelOccurrence& occurrence) {
  const Process& first = processes_[occurrence.parts.front().process];
  std::string text = script_.high_level[occurrence.event].name + ":";
  const char* before = " ";
  for (const PrimitiveOccurrence& part : occurrence.parts) {
    text += fmt::format("{}{} of process {} on {} = {}", before, script_.events[part.event].name,
                        processes_[part.process].pid, processes_[part.process].machine, part.fields[0].to_text());
    before = ", ";
  }
  found_.push_back({occurrence.event, occurrence.time_ns, first.machine, first.pid, std::move(text)});
}

std::vector<std::string> CentralEvaluation::snapshot() const {
  std::vector<std::string> lines;
  for (const Process& process : processes_)
    lines.push_back(fmt::format("process {} on {}: {}, the last: {}", process.pid, process.machine,
                                counted(process.events, "event"), process.last));
  return lines;
}

}  // namespace dpm::control
