#include "backends/linux/calls/eventfds.hpp"

#include <string>
#include <utility>

namespace dpm {
namespace {

ChannelInfo describe_eventfd(std::uint64_t id) {
  ChannelInfo described;
  described.kind = ChannelKind::stream;
  described.medium = ChannelMedium::eventfd;
  described.sender.address = std::to_string(id);
  described.sender.machine = MachineId{0};
  described.receiver = described.sender;
  described.name = "eventfd " + described.sender.address;
  return described;
}

}  // namespace

Flow& Eventfds::used_by(std::uint32_t pid, std::uint64_t id, std::uint64_t count) {
  Eventfd& eventfd = eventfds_[id];
  if (eventfd.users.insert(pid).second) by_pid_[pid].insert(id);
  if (eventfd.flow != nullptr) return *eventfd.flow;
  eventfd.flow = &flows_.add(describe_eventfd(id));
  eventfd.flow->sent.begin_at(count);
  eventfd.flow->received.begin_at(0);
  return *eventfd.flow;
}

Flow* Eventfds::find(std::uint64_t id) const {
  const auto found = eventfds_.find(id);
  return found == eventfds_.end() ? nullptr : found->second.flow;
}

void Eventfds::left(std::uint32_t pid) {
  const auto used = by_pid_.find(pid);
  if (used == by_pid_.end()) return;
  for (const std::uint64_t id : used->second) {
    const auto found = eventfds_.find(id);
    found->second.users.erase(pid);
    if (!found->second.users.empty()) continue;
    flows_.remove(*found->second.flow);
    eventfds_.erase(found);
  }
  by_pid_.erase(used);
}

}  // namespace dpm
