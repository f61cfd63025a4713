#include "model/trace_growth.hpp"

#include <algorithm>
#include <utility>

namespace dpm {
namespace {

template <typename Entry>
void append(std::vector<Entry>& table, const std::vector<Entry>& added) {
  table.insert(table.end(), added.begin(), added.end());
}

template <typename Entry>
std::vector<Entry> rows_from(const std::vector<Entry>& table, std::size_t first) {
  return {table.begin() + static_cast<std::ptrdiff_t>(std::min(first, table.size())), table.end()};
}

}  // namespace

TableSizes TableSizes::of(const TraceInfo& info) {
  return {info.machines.size(), info.processes.size(),   info.channels.size(),        info.channel_sets.size(),
          info.modules.size(),  info.wait_causes.size(), info.primitive_events.size()};
}

TraceGrowth TraceGrowth::since(const TableSizes& told, const TraceInfo& info) {
  TraceGrowth growth;
  if (told.machines == 0) {
    growth.source = info.source;
    growth.scenario = info.scenario;
    if (!info.source.empty()) growth.properties = info.properties;
  }
  growth.machines = rows_from(info.machines, told.machines);
  growth.processes = rows_from(info.processes, told.processes);
  growth.channels = rows_from(info.channels, told.channels);
  growth.channel_sets = rows_from(info.channel_sets, told.channel_sets);
  growth.modules = rows_from(info.modules, told.modules);
  growth.wait_causes = rows_from(info.wait_causes, told.wait_causes);
  growth.primitive_events = rows_from(info.primitive_events, told.primitive_events);
  return growth;
}

bool TraceGrowth::empty() const {
  return source.empty() && scenario.empty() && !properties && machines.empty() && processes.empty() &&
         channels.empty() && channel_sets.empty() && modules.empty() && wait_causes.empty() &&
         primitive_events.empty() && machines_again.empty() && processes_again.empty() && channels_again.empty() &&
         more_of_sets.empty() && renamed.empty() && owned.empty() && ends.empty() && ended.empty() && closed.empty();
}

void TraceGrowth::add_to(TraceInfo& info) const {
  if (!source.empty()) info.source = source;
  if (!scenario.empty()) info.scenario = scenario;
  if (properties) info.properties = *properties;
  append(info.machines, machines);
  append(info.processes, processes);
  append(info.channels, channels);
  append(info.channel_sets, channel_sets);
  append(info.modules, modules);
  append(info.wait_causes, wait_causes);
  append(info.primitive_events, primitive_events);
  for (const auto& [machine, entry] : machines_again) info.machines.at(machine.value) = entry;
  for (const auto& [process, entry] : processes_again) info.processes.at(process.value) = entry;
  for (const auto& [channel, entry] : channels_again) info.channels.at(channel.value) = entry;
  for (const auto& [set, channels_besides] : more_of_sets) append(info.channel_sets.at(set), channels_besides);
  for (const auto& [process, name, program] : renamed) {
    info.processes.at(process.value).name = name;
    info.processes.at(process.value).program = program;
  }
  for (const auto& [channel, owner] : owned) info.channels.at(channel.value).owner = owner;
  for (const auto& [channel, sending, end] : ends) {
    ChannelInfo& described = info.channels.at(channel.value);
    (sending ? described.sender : described.receiver) = end;
  }
}

void TraceGrowth::add_to(TableSizes& sizes) const {
  sizes.machines += machines.size();
  sizes.processes += processes.size();
  sizes.channels += channels.size();
  sizes.channel_sets += channel_sets.size();
  sizes.modules += modules.size();
  sizes.wait_causes += wait_causes.size();
  sizes.primitive_events += primitive_events.size();
}

TraceGrowth TraceGrowth::take_header() {
  TraceGrowth header;
  header.source = std::exchange(source, {});
  header.scenario = std::exchange(scenario, {});
  header.properties = std::exchange(properties, std::nullopt);
  header.machines = std::exchange(machines, {});
  header.machines_again = std::exchange(machines_again, {});
  return header;
}

}  // namespace dpm
