#include "merge/channel_joiner.hpp"

#include <map>

#include "merge/machine_addresses.hpp"

namespace dpm {
namespace {

ChannelId append(TraceInfo& info, const ChannelInfo& described) {
  info.channels.push_back(described);
  return ChannelId{static_cast<std::uint32_t>(info.channels.size() - 1)};
}

// Ends that a metered machine should know, by its address, and that none of its meters has met.
struct Strangers {
  std::uint64_t channels = 0;
  std::string example;
};

bool is_met_at(const TraceInfo& info, const ChannelEnd& end, MachineId machine) {
  const auto same = [&](const ChannelEnd& other) {
    return other.machine == machine && other.port == end.port &&
           (other.address == end.address || is_any_address(other.address));
  };
  for (const ChannelInfo& channel : info.channels)
    if (same(channel.sender) || same(channel.receiver)) return true;
  return false;
}

// Both ends are always on one machine.
bool is_local(ChannelMedium medium) {
  return medium == ChannelMedium::unix_socket || medium == ChannelMedium::pipe || medium == ChannelMedium::eventfd;
}

}  // namespace

ChannelId ChannelJoiner::join(const ChannelInfo& described, ChannelOrigin origin) {
  ChannelId found;
  if (described.medium == ChannelMedium::tcp) found = streams_.find(described, origin);
  if (described.medium == ChannelMedium::udp) found = datagrams_.find(described);
  if (is_local(described.medium)) found = join_local(described);
  if (found.is_none()) found = append(*info_, described);
  learn(found, described);
  if (described.medium == ChannelMedium::tcp) streams_.note(found, described, origin);
  if (described.medium == ChannelMedium::udp) datagrams_.note(found, described);
  return found;
}

ChannelId ChannelJoiner::join_local(const ChannelInfo& described) {
  const MachineId machine = described.sender.machine.is_none() ? described.receiver.machine : described.sender.machine;
  if (machine.is_none()) return {};
  // Whoever sends to a datagram socket, it is one way.
  const bool by_both = described.kind == ChannelKind::stream;
  const std::string key =
      host_key(*info_, machine) + (by_both ? "s" + described.sender.address : "d") + " > " + described.receiver.address;
  const auto [known, is_new] = local_.try_emplace(key, ChannelId{static_cast<std::uint32_t>(info_->channels.size())});
  return is_new ? ChannelId{} : known->second;
}

void ChannelJoiner::learn(ChannelId channel, const ChannelInfo& described) {
  ChannelInfo& ours = info_->channels[channel.value];
  if (ours.owner.is_none()) ours.owner = described.owner;
  const auto fill_in = [](ChannelEnd& known, const ChannelEnd& end) {
    const bool is_better = known.machine.is_none() && !end.machine.is_none();
    const bool has_port_now = known.machine == end.machine && known.port == 0 && end.port != 0;
    if (is_better || has_port_now) known = end;
  };
  fill_in(ours.sender, described.sender);
  fill_in(ours.receiver, described.receiver);
}

std::vector<std::string> ChannelJoiner::warnings() const {
  std::vector<std::string> warnings = streams_.warnings();
  const auto of_datagrams = datagrams_.warnings();
  warnings.insert(warnings.end(), of_datagrams.begin(), of_datagrams.end());

  std::map<std::pair<MachineId, MachineId>, Strangers> strangers;
  for (const ChannelInfo& channel : info_->channels) {
    const bool internet = channel.medium == ChannelMedium::tcp || channel.medium == ChannelMedium::udp;
    const bool one_sided = channel.sender.machine.is_none() != channel.receiver.machine.is_none();
    if (!internet || !one_sided) continue;
    const ChannelEnd& here = channel.sender.machine.is_none() ? channel.receiver : channel.sender;
    const ChannelEnd& there = channel.sender.machine.is_none() ? channel.sender : channel.receiver;
    for (const MachineId machine : machines_at(*info_, there.address)) {
      if (host_key(*info_, machine) == host_key(*info_, here.machine)) continue;
      Strangers& found = strangers[{here.machine, machine}];
      if (++found.channels == 1) {
        found.example = channel.name;
        if (is_met_at(*info_, there, machine))
          found.example += ", though port " + std::to_string(there.port) + " of '" + (*info_)[machine].name +
                           "' is in use by a metered process";
      }
    }
  }
  for (const auto& [machines, found] : strangers)
    warnings.push_back("channels of '" + (*info_)[machines.first].name + "' that lead to addresses of '" +
                       (*info_)[machines.second].name +
                       "', whose meters never met their names: " + std::to_string(found.channels) + " (" +
                       found.example + "); the processes there are not metered, or names are translated on the way");
  return warnings;
}

}  // namespace dpm
