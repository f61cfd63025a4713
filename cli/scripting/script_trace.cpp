#include "cli/scripting/script_trace.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/value.hpp"
#include "os/machine.hpp"
#include "trace/event_fields.hpp"

namespace dpm::cli {
namespace {

std::vector<RuleSet> keep_all() { return {RuleSet::keep_all(program_event_layouts())}; }

PrimitiveEvent row_of(const EventDefinition& event) {
  return {std::string(monitor::kActionNames[event.action].name), event.object, event.function};
}

}  // namespace

Result<std::unique_ptr<ScriptTrace>> ScriptTrace::create(const std::string& directory, const std::string& scenario) {
  auto writer = TraceWriter::create(directory, describe_events({"filter"}, keep_all()));
  if (!writer) return writer.error();
  return std::unique_ptr<ScriptTrace>(new ScriptTrace(*std::move(writer), scenario));
}

ScriptTrace::ScriptTrace(std::unique_ptr<TraceWriter> writer, const std::string& scenario)
    : writer_(std::move(writer)), filter_(keep_all(), *writer_) {
  info_.source = "libdpm";
  info_.scenario = scenario;
  info_.machines.push_back(this_machine(""));
  filter_.on_begin(info_);
}

void ScriptTrace::add(std::span<const Occurrence> occurrences, const ScriptWatch& watch) {
  std::vector<Event> events;
  for (const Occurrence& occurrence : occurrences) {
    if (occurrence.is_again) continue;
    const EventDefinition& definition = watch.script().events[occurrence.event];
    Event event;
    event.type = monitor::kActionNames[definition.action].value.empty() ? EventType::point : EventType::value;
    event.local_time.ns = static_cast<std::int64_t>(occurrence.time_ns);
    event.process = process_of(occurrence, watch);
    event.machine = MachineId{0};
    event.code = primitive_of(definition);
    if (event.type == EventType::value) event.sequence = occurrence.value.bits();
    if (event.type == EventType::value && occurrence.value.is_big()) event.flags |= event_flags::kUnsigned;
    events.push_back(event);
  }
  kept_ += events.size();
  filter_.on_events(events);
}

ProcessId ScriptTrace::process_of(const Occurrence& occurrence, const ScriptWatch& watch) {
  const ProcessId next{static_cast<std::uint32_t>(info_.processes.size())};
  const auto [known, is_new] = threads_.try_emplace({occurrence.program, occurrence.thread}, next);
  if (!is_new) return known->second;
  const WatchedProgram& program = watch.programs()[occurrence.program];
  const auto [first, is_first] = first_threads_.try_emplace(occurrence.program, next);
  ProcessInfo process;
  process.name = program.count == 1 ? program.program : fmt::format("{}[{}]", program.program, program.count);
  if (!is_first) {
    process.name += fmt::format("/{}", occurrence.thread);
    process.group = first->second;
  }
  process.program = program.program;
  process.machine = MachineId{0};
  process.pid = program.pid;
  process.tid = occurrence.thread;
  process.acquired = true;  // what it did before its first event is not known
  info_.processes.push_back(std::move(process));
  return next;
}

std::uint32_t ScriptTrace::primitive_of(const EventDefinition& event) {
  const auto [known, is_new] =
      primitive_events_.try_emplace(row_of(event), static_cast<std::uint32_t>(info_.primitive_events.size()));
  if (is_new) info_.primitive_events.push_back(known->first);
  return known->second;
}

Result<Ledger> ScriptTrace::finish(const ScriptWatch& watch) {
  // Definitions that share an action of an object share its losses too.
  std::map<PrimitiveEvent, std::uint64_t> lost;
  const auto counts = watch.counts();
  for (std::size_t e = 0; e < counts.size(); ++e) {
    if (watch.script().events[e].meter_event) continue;
    std::uint64_t& most = lost[row_of(watch.script().events[e])];
    most = std::max(most, counts[e].lost);
  }
  LossReport report;
  for (const auto& [row, events] : lost)
    if (events != 0)
      report.losses.push_back(
          {fmt::format("{} on {} in {}: a ring was full", row.action, row.object, row.function), events});
  if (watch.lost_otherwise() != 0)
    report.losses.push_back({"records of threads without a ring, or damaged", watch.lost_otherwise()});
  report.seen = kept_ + report.lost();
  filter_.on_end(report);
  if (!writer_->status()) return writer_->status().error();
  return writer_->ledger();
}

}  // namespace dpm::cli
