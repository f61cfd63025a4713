#include "backends/sim/names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/check.hpp"

namespace dpm::sim {

ProcessId Names::id_of(Process& process) {
  if (process.id.is_none()) {
    const ProcessId id{static_cast<std::uint32_t>(info_.processes.size())};
    info_.processes.push_back(
        {process.name, process.program_name, process.machine->id, process.filter, process.in_computation});
    already_named(process, id);
  }
  return process.id;
}

ChannelId Names::id_of(Channel& channel) {
  if (channel.id.is_none()) {
    channel.id = {static_cast<std::uint32_t>(info_.channels.size())};
    info_.channels.push_back({id_of(*channel.owner), name_of(channel)});
  }
  return channel.id;
}

ChannelSetId Names::set_of(std::span<Channel* const> channels) {
  if (channels.empty()) return kAnyChannel;
  if (channels.size() == 1 && !channels.front()->set_of_it.is_none()) return channels.front()->set_of_it;
  std::vector<ChannelId> ids;
  for (Channel* channel : channels) ids.push_back(id_of(*channel));
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  const auto [entry, is_new] =
      sets_.try_emplace(ids, ChannelSetId{static_cast<std::uint32_t>(info_.channel_sets.size())});
  if (is_new) info_.channel_sets.push_back(std::move(ids));
  if (channels.size() == 1) channels.front()->set_of_it = entry->second;
  return entry->second;
}

ChannelId Names::add_channel(ChannelInfo described) {
  info_.channels.push_back(std::move(described));
  return {static_cast<std::uint32_t>(info_.channels.size() - 1)};
}

ChannelSetId Names::set_of(ChannelId channel) {
  info_.channel_sets.push_back({channel});
  return {static_cast<std::uint32_t>(info_.channel_sets.size() - 1)};
}

Event Names::event_of(EventType type, const Packet& message) {
  Event event;
  event.type = type;
  event.channel = id_of(*message.channel);
  event.peer = id_of(type == EventType::send ? *message.to : *message.from);
  event.sequence = message.sequence;
  event.length_bytes = message.length_bytes;
  event.code = message.code;
  if (message.passed) event.passed_channel = id_of(*message.passed->channel);
  return event;
}

Process* Names::process(ProcessId id) const { return id.value < processes_.size() ? processes_[id.value] : nullptr; }

void Names::already_named(Process& process, ProcessId id) {
  DPM_CHECK(id.value == processes_.size());
  process.id = id;
  processes_.push_back(&process);
}

std::string name_of(const Channel& channel) {
  if (channel.for_replies) return "replies to " + channel.owner->name;
  if (channel.wired_from != nullptr) return fmt::format("{}->{}", channel.wired_from->name, channel.owner->name);
  if (&channel == channel.owner->front_door) return "requests to " + channel.owner->name;
  return "";
}

}  // namespace dpm::sim
