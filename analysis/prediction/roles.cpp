#include "analysis/prediction/roles.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "analysis/history/handouts.hpp"

namespace dpm {
namespace {

bool is_message(const HistoryEvent& event) {
  return event.kind() == HistoryKind::send || event.kind() == HistoryKind::receive ||
         event.kind() == HistoryKind::move_data;
}

// The one other process it exchanges messages with, or none; and none for a process that speaks first, for a worker
// does nothing before it is told what.
std::optional<std::uint32_t> master_of(const History& history, std::uint32_t process) {
  std::optional<std::uint32_t> partner;
  for (const HistoryEvent& event : history.of(ProcessId{process})) {
    if (!is_message(event)) continue;
    if (event.peer == kNoPeer || event.peer == process) return std::nullopt;
    if (partner && *partner != event.peer) return std::nullopt;
    if (!partner && event.kind() != HistoryKind::receive) return std::nullopt;
    partner = event.peer;
  }
  return partner;
}

bool contains(const std::vector<ProcessId>& processes, std::uint32_t process) {
  return std::find(processes.begin(), processes.end(), ProcessId{process}) != processes.end();
}

// Whether a RECEIVE with this channel set may take a message of more than one worker: sets name channels, and a
// worker's channel is known from what it sent.
bool takes_any_worker(const History& history, std::uint32_t set,
                      const std::map<std::uint32_t, std::uint32_t>& worker_of_channel, std::size_t channels_shared) {
  const auto& sets = history.info.channel_sets;
  if (set == 0 || set >= sets.size() || channels_shared > 0) return true;
  std::optional<std::uint32_t> first;
  for (const ChannelId channel : sets[set]) {
    const auto worker = worker_of_channel.find(channel.value);
    if (worker == worker_of_channel.end()) continue;
    if (first && *first != worker->second) return true;
    first = worker->second;
  }
  return false;
}

bool hands_out_work(const History& history, const RoleGroup& group) {
  std::map<std::uint32_t, std::uint32_t> worker_of_channel;
  std::size_t shared = 0;
  for (const ProcessId worker : group.workers) {
    for (const HistoryEvent& event : history.of(worker)) {
      if (event.kind() != HistoryKind::send) continue;
      const auto [entry, is_new] = worker_of_channel.try_emplace(event.channel, worker.value);
      if (!is_new && entry->second != worker.value) ++shared;
    }
  }
  std::int64_t hands_out = 0, contradicts = 0;
  for (const Handout& handout : handouts_of(
           history, group.dispatcher, [&group](std::uint32_t process) { return contains(group.workers, process); })) {
    const std::uint32_t set = history.events[handout.receive].channel;
    if (!takes_any_worker(history, set, worker_of_channel, shared)) return false;
    hands_out += handout.kind == Handout::Kind::answer || handout.kind == Handout::Kind::anew;
    contradicts += handout.kind == Handout::Kind::other;
  }
  return hands_out > contradicts;
}

}  // namespace

std::vector<RoleGroup> find_role_groups(const History& history) {
  std::map<std::pair<std::uint32_t, std::string>, RoleGroup> groups;
  for (std::uint32_t p = 0; p < history.process_count(); ++p) {
    const auto master = master_of(history, p);
    const ProcessInfo& info = history.info.processes[p];
    if (!master || info.program.empty() || history.of(ProcessId{*master}).empty()) continue;
    RoleGroup& group = groups[{*master, info.program}];
    group.dispatcher = {*master};
    group.program = info.program;
    group.workers.push_back({p});
  }
  std::vector<RoleGroup> found;
  for (auto& entry : groups) {
    RoleGroup& group = entry.second;
    // One group a dispatcher, and a process has one role: a dispatcher is never a worker, for it talks to two or more.
    const bool taken = std::any_of(found.begin(), found.end(),
                                   [&](const RoleGroup& other) { return other.dispatcher == group.dispatcher; });
    if (group.workers.size() >= 2 && !taken && hands_out_work(history, group)) found.push_back(std::move(group));
  }
  return found;
}

Roles to_roles(const std::vector<RoleGroup>& groups, std::size_t process_count) {
  Roles roles;
  if (groups.empty()) return roles;
  roles.dispatcher_of.assign(process_count, Roles::kNone);
  for (const auto& group : groups) {
    roles.dispatcher_of[group.dispatcher.value] = group.dispatcher.value;
    for (const ProcessId worker : group.workers) roles.dispatcher_of[worker.value] = group.dispatcher.value;
  }
  return roles;
}

}  // namespace dpm
