#include "trace/name_ids.hpp"

#include <algorithm>

namespace dpm {
namespace {

template <typename IdType>
IdType row_in(const IdGaps& gaps, IdType id) {
  if (id.is_none() || gaps.skipped() == 0) return id;
  const auto row = gaps.row_of(id.value);
  return row ? IdType{*row} : IdType{};
}

template <typename Changes, typename Id>
void leave_out_skipped(Changes& changes, Id id_of) {
  std::erase_if(changes, [&](auto& change) { return id_of(change).is_none(); });
}

}  // namespace

void IdGaps::add(std::uint64_t first, std::uint64_t end) {
  if (end > first) gaps_.push_back({first, end, skipped() + (end - first)});
}

std::optional<std::uint32_t> IdGaps::row_of(std::uint32_t id) const {
  const auto next = std::upper_bound(gaps_.begin(), gaps_.end(), id,
                                     [](std::uint32_t value, const Gap& gap) { return value < gap.first; });
  if (next == gaps_.begin()) return id;
  const Gap& before = *std::prev(next);
  if (id < before.end) return std::nullopt;
  return static_cast<std::uint32_t>(id - before.skipped);
}

ProcessId NameIds::row(ProcessId id) const { return row_in(processes, id); }
ChannelId NameIds::row(ChannelId id) const { return row_in(channels, id); }

void NameIds::to_rows(std::vector<ChannelId>& set) const {
  for (ChannelId& channel : set) channel = row(channel);
  std::erase_if(set, [](ChannelId channel) { return channel.is_none(); });
}

void NameIds::to_rows(Event& event) const {
  event.process = row(event.process);
  event.peer = row(event.peer);
  event.channel = row(event.channel);
  event.passed_channel = row(event.passed_channel);
  if (event.type == EventType::accept) event.code = row(ChannelId{event.code}).value;
  if (event.type == EventType::receive_call && event.code != ChannelSetId::kNone)
    event.code = channel_sets.row_of(event.code).value_or(0);
}

void NameIds::to_rows(TraceGrowth& growth) const {
  for (auto& process : growth.processes) process.group = row(process.group);
  for (auto& channel : growth.channels) channel.owner = row(channel.owner);
  for (auto& set : growth.channel_sets) to_rows(set);
  for (auto& module : growth.modules) module.process = row(module.process);
  for (auto& cause : growth.wait_causes) cause.process = row(cause.process), cause.other = row(cause.other);
  for (auto& again : growth.processes_again) again.id = row(again.id), again.entry.group = row(again.entry.group);
  for (auto& again : growth.channels_again) again.id = row(again.id), again.entry.owner = row(again.entry.owner);
  for (auto& more : growth.more_of_sets) {
    more.set = channel_sets.row_of(more.set).value_or(0);
    to_rows(more.channels);
  }
  for (auto& renamed : growth.renamed) renamed.process = row(renamed.process);
  for (auto& owned : growth.owned) owned.channel = row(owned.channel), owned.owner = row(owned.owner);
  for (auto& known_end : growth.ends) known_end.channel = row(known_end.channel);
  leave_out_skipped(growth.modules, [](const auto& module) { return module.process; });
  leave_out_skipped(growth.wait_causes, [](const auto& cause) { return cause.process; });
  leave_out_skipped(growth.processes_again, [](const auto& again) { return again.id; });
  leave_out_skipped(growth.channels_again, [](const auto& again) { return again.id; });
  leave_out_skipped(growth.renamed, [](const auto& renamed) { return renamed.process; });
  leave_out_skipped(growth.owned, [](const auto& owned) { return owned.channel; });
  leave_out_skipped(growth.ends, [](const auto& end) { return end.channel; });
  std::erase_if(growth.more_of_sets, [](const auto& more) { return more.set == 0; });
}

}  // namespace dpm
