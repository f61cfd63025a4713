#include "cli/scripting/trace_occurrences.hpp"

#include <algorithm>
#include <dpm/monitor/actions.hpp>
#include <map>

#include "model/value.hpp"

namespace dpm::cli {
namespace {

std::uint64_t key_of(EventType type, std::uint32_t primitive) {
  return static_cast<std::uint64_t>(type) << 32 | (is_primitive(type) ? primitive : 0);
}

WholeNumber number_or_none(std::uint32_t id, bool is_none) { return is_none ? -1 : static_cast<std::int64_t>(id); }

}  // namespace

TraceOccurrences::TraceOccurrences(const EventScript& script, const TraceInfo& info) : script_(script), info_(info) {
  std::map<std::string, std::uint32_t> counts, called_counts;
  for (std::uint32_t p = 0; p < info.processes.size(); ++p) {
    const ProcessInfo& process = info.processes[p];
    const bool is_thread = !process.group.is_none() && process.group.value < p;
    program_of_.push_back(process.program.substr(process.program.rfind('/') + 1));
    process_of_.push_back(is_thread ? process_of_[process.group.value] : p);
    count_of_.push_back(is_thread ? count_of_[process.group.value] : ++counts[program_of_.back()]);
    called_.push_back(is_thread ? called_[process.group.value] : process.name.substr(0, process.name.find('#')));
    called_count_.push_back(is_thread ? called_count_[process.group.value] : ++called_counts[called_.back()]);
  }
  for (std::size_t e = 0; e < script.events.size(); ++e) {
    const EventDefinition& event = script.events[e];
    if (event.meter_event) {
      events_[key_of(*event.meter_event, 0)].push_back(e);
      continue;
    }
    const PrimitiveEvent wanted{std::string(monitor::kActionNames[event.action].name), event.object, event.function};
    const auto row = std::find(info.primitive_events.begin(), info.primitive_events.end(), wanted);
    if (row == info.primitive_events.end()) continue;
    const auto number = static_cast<std::uint32_t>(row - info.primitive_events.begin());
    for (const EventType type : {EventType::point, EventType::value}) events_[key_of(type, number)].push_back(e);
  }
}

void TraceOccurrences::add(const Event& given, std::int64_t time_ns, const Visit& visit) {
  Event event = given;
  event.process.value = process_of_[event.process.value];
  if (!event.peer.is_none()) event.peer.value = process_of_[event.peer.value];
  learn_connection(event);
  const VectorClock& clock = clocks_.add(event);
  const auto found = events_.find(key_of(event.type, event.code));
  if (found == events_.end()) return;
  PrimitiveOccurrence occurrence{0, event.process.value, clocks_.count_of(event.process), time_ns, {}};
  const auto connection = connection_of_.find(event.channel.value);
  occurrence.fields = {is_primitive(event.type) ? number_of(event) : WholeNumber(event.length_bytes),
                       event.process.value, number_or_none(event.peer.value, event.peer.is_none()),
                       number_or_none(event.channel.value, event.channel.is_none()),
                       connection != connection_of_.end()
                           ? WholeNumber(connection->second)
                           : number_or_none(event.channel.value, event.channel.is_none())};
  for (const std::size_t e : found->second) {
    if (!is_of(script_.events[e], given)) continue;
    occurrence.event = e;
    visit(occurrence, clock);
  }
}

// Of a connection, an event names the channel that its process sends on, and the one that it receives on.
void TraceOccurrences::learn_connection(const Event& event) {
  const bool has_both = event.type == EventType::accept || event.type == EventType::connect ||
                        event.type == EventType::socket || event.type == EventType::dup;
  if (!has_both || event.channel.is_none() || event.passed_channel.is_none()) return;
  const std::uint32_t connection = std::min(event.channel.value, event.passed_channel.value);
  connection_of_[event.channel.value] = connection_of_[event.passed_channel.value] = connection;
}

bool TraceOccurrences::is_of(const EventDefinition& definition, const Event& event) const {
  const std::uint32_t row = event.process.value;
  const std::string& machine = info_[event.machine].name;
  return is_meant(script_, definition, machine, program_of_[row], count_of_[row]) ||
         is_meant(script_, definition, machine, called_[row], called_count_[row]);
}

}  // namespace dpm::cli
