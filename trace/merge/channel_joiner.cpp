#include "trace/merge/channel_joiner.hpp"

#include <fmt/format.h>

#include <map>

#include "trace/merge/machine_addresses.hpp"

namespace dpm {
namespace {

// Ends at the address of a metered machine that none of its meters has seen.
struct Strangers {
  std::uint64_t channels = 0;
  std::string example;
};

bool is_met_at(const std::vector<ChannelInfo>& channels, const ChannelEnd& end, MachineId machine) {
  const auto same = [&](const ChannelEnd& other) {
    return other.machine == machine && other.port == end.port &&
           (other.address == end.address || is_any_address(other.address));
  };
  for (const ChannelInfo& channel : channels)
    if (same(channel.sender) || same(channel.receiver)) return true;
  return false;
}

// Both ends are always on one machine.
bool is_local(ChannelMedium medium) {
  return medium == ChannelMedium::unix_socket || medium == ChannelMedium::pipe || medium == ChannelMedium::eventfd ||
         medium == ChannelMedium::memory;
}

}  // namespace

ChannelId ChannelJoiner::join(const ChannelInfo& described, ChannelOrigin origin) {
  ChannelId found;
  if (described.medium == ChannelMedium::tcp) found = streams_.find(described, origin);
  if (described.medium == ChannelMedium::udp) found = datagrams_.find(described);
  if (is_local(described.medium)) found = join_local(described);
  if (found.is_none()) found = channels_.add(described);
  channels_.describe(found, described);
  if (described.medium == ChannelMedium::tcp) streams_.note(found, described, origin);
  if (described.medium == ChannelMedium::udp) datagrams_.note(found, described);
  if (is_local(described.medium)) {
    const std::string key = local_key(described);
    if (!key.empty() && local_.try_emplace(key, found).second) local_keys_[found.value] = key;
  }
  return found;
}

ChannelId ChannelJoiner::join_local(const ChannelInfo& described) {
  const auto known = local_.find(local_key(described));
  return known == local_.end() ? ChannelId{} : known->second;
}

// Empty: none of its ends is known.
std::string ChannelJoiner::local_key(const ChannelInfo& described) const {
  const MachineId machine = described.sender.machine.is_none() ? described.receiver.machine : described.sender.machine;
  if (machine.is_none()) return {};
  // A datagram socket is one channel, whichever socket sends to it.
  const bool by_both = described.kind == ChannelKind::stream;
  return fmt::format("{}{} > {}", host_key(*info_, machine), by_both ? "s" + described.sender.address : "d",
                     described.receiver.address);
}

void ChannelJoiner::close(ChannelId channel, bool for_good) {
  for (const ChannelId gone : channels_.close(channel, for_good)) {
    streams_.forget(gone);
    datagrams_.forget(gone);
    if (const auto key = local_keys_.find(gone.value); key != local_keys_.end()) {
      local_.erase(key->second);
      local_keys_.erase(key);
    }
  }
}

std::vector<std::string> ChannelJoiner::warnings() const {
  std::vector<std::string> warnings = streams_.warnings();
  const auto of_datagrams = datagrams_.warnings();
  warnings.insert(warnings.end(), of_datagrams.begin(), of_datagrams.end());

  std::map<std::pair<MachineId, MachineId>, Strangers> strangers;
  const std::vector<ChannelInfo> channels = channels_.all();
  for (const ChannelInfo& channel : channels) {
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
        if (is_met_at(channels, there, machine))
          found.example += fmt::format(", though port {} of '{}' is in use by a metered process", there.port,
                                       (*info_)[machine].name);
      }
    }
  }
  for (const auto& [machines, found] : strangers)
    warnings.push_back(
        fmt::format("channels of '{}' that lead to addresses of '{}', whose meters never saw their names: {} ({}); the "
                    "processes there are not metered, or names are translated between them",
                    (*info_)[machines.first].name, (*info_)[machines.second].name, found.channels, found.example));
  return warnings;
}

}  // namespace dpm
