#include "trace/ids_in_use.hpp"

#include <algorithm>
#include <string>

namespace dpm {
namespace {

template <typename IdType>
void grow_to(std::size_t& size, IdType id) {
  if (!id.is_none()) size = std::max(size, std::size_t{id.value} + 1);
}

void grow_to(TableSizes& sizes, const Event& event) {
  grow_to(sizes.processes, event.process);
  grow_to(sizes.processes, event.peer);
  grow_to(sizes.channels, event.channel);
  grow_to(sizes.channels, event.passed_channel);
  grow_to(sizes.machines, event.machine);
  if (event.type == EventType::receive_call) grow_to(sizes.channel_sets, ChannelSetId{event.code});
  if (event.type == EventType::accept) grow_to(sizes.channels, ChannelId{event.code});
  if (is_primitive(event.type)) sizes.primitive_events = std::max(sizes.primitive_events, std::size_t{event.code} + 1);
}

}  // namespace

void IdsInUse::describe(const TableSizes& described) {
  sizes_.machines = std::max(sizes_.machines, described.machines);
  sizes_.processes = std::max(sizes_.processes, described.processes);
  sizes_.channels = std::max(sizes_.channels, described.channels);
  sizes_.channel_sets = std::max(sizes_.channel_sets, described.channel_sets);
  sizes_.primitive_events = std::max(sizes_.primitive_events, described.primitive_events);
}

bool IdsInUse::add(const Event& event) {
  ++events_;
  TableSizes grown = sizes_;
  grow_to(grown, event);
  const std::uint64_t limit = 1024 + 3 * events_;
  if (event.process.is_none() || grown.processes > sizes_.processes + limit ||
      grown.channels > sizes_.channels + limit || grown.channel_sets > sizes_.channel_sets + limit ||
      grown.primitive_events > sizes_.primitive_events + limit)
    return false;
  sizes_ = grown;
  return true;
}

void name_unnamed(TraceInfo& info, const TableSizes& in_use) {
  while (info.machines.size() < in_use.machines)
    info.machines.push_back({"machine " + std::to_string(info.machines.size()), 1});
  while (info.processes.size() < in_use.processes)
    info.processes.push_back({"process " + std::to_string(info.processes.size()), "", MachineId{}, 0, true});
  // The kind of a channel is not known either; live programs mostly use streams.
  const bool live = std::any_of(info.channels.begin(), info.channels.end(),
                                [](const auto& channel) { return channel.kind != ChannelKind::numbered; });
  const ChannelKind kind = live ? ChannelKind::stream : ChannelKind::numbered;
  while (info.channels.size() < in_use.channels) info.channels.push_back({ProcessId{}, "", kind});
  while (info.channel_sets.size() < in_use.channel_sets) info.channel_sets.push_back({});
  while (info.primitive_events.size() < in_use.primitive_events)
    info.primitive_events.push_back({"event " + std::to_string(info.primitive_events.size()), "", ""});
}

}  // namespace dpm
