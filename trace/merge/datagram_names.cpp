#include "trace/merge/datagram_names.hpp"

#include <fmt/format.h>

#include "trace/merge/machine_addresses.hpp"

namespace dpm {
namespace {

std::uint32_t ports_of(const ChannelInfo& described) {
  return std::uint32_t{described.sender.port} << 16 | described.receiver.port;
}

}  // namespace

// `seen` is an end where a socket was seen; `named` is what the other end's meter, on machine `named_by`, calls it.
bool DatagramNames::matches(const ChannelEnd& seen, const ChannelEnd& named, MachineId named_by) const {
  if (is_loopback_address(named.address) && host_key(*info_, seen.machine) != host_key(*info_, named_by)) return false;
  if (seen.address == named.address) return true;
  if (!is_any_address(seen.address)) return false;
  return is_loopback_address(named.address) || has_address((*info_)[seen.machine], named.address);
}

bool DatagramNames::is_same(const Way& known, const ChannelInfo& described) const {
  const ChannelEnd &from = described.sender, &to = described.receiver;
  // The same end again, described by an earlier meter.
  const bool same_names = known.sender.address == from.address && known.receiver.address == to.address;
  const bool same_sights = known.sender.machine == from.machine && known.receiver.machine == to.machine;
  if (same_names && same_sights) return true;
  const MachineId sends = known.sender.machine, receives = known.receiver.machine;
  if (!from.machine.is_none() && to.machine.is_none() && sends.is_none() && !receives.is_none())
    return matches(from, known.sender, receives) && matches(known.receiver, to, from.machine);
  if (from.machine.is_none() && !to.machine.is_none() && !sends.is_none() && receives.is_none())
    return matches(known.sender, from, to.machine) && matches(to, known.receiver, sends);
  return false;
}

ChannelId DatagramNames::find(const ChannelInfo& described) {
  if (described.sender.port == 0) {  // it was closed before its name could be read
    ++unnamed_;
    return {};
  }
  const auto known = by_ports_.find(ports_of(described));
  if (known == by_ports_.end()) return {};
  ChannelId found;
  for (const Way& way : known->second) {
    if (way.channel == found || !is_same(way, described)) continue;
    if (!found.is_none()) {
      if (++ambiguous_ == 1) ambiguous_example_ = described.name;
      return {};
    }
    found = way.channel;
  }
  return found;
}

void DatagramNames::note(ChannelId channel, const ChannelInfo& described) {
  if (described.sender.port == 0) return;
  by_ports_[ports_of(described)].push_back({channel, described.sender, described.receiver});
  ports_[channel.value].push_back(ports_of(described));
}

void DatagramNames::forget(ChannelId channel) {
  const auto ports = ports_.find(channel.value);
  if (ports == ports_.end()) return;
  for (const std::uint32_t pair : ports->second) {
    const auto known = by_ports_.find(pair);
    if (known == by_ports_.end()) continue;
    std::erase_if(known->second, [channel](const Way& way) { return way.channel == channel; });
    if (known->second.empty()) by_ports_.erase(known);
  }
  ports_.erase(ports);
}

std::vector<std::string> DatagramNames::warnings() const {
  std::vector<std::string> warnings;
  if (unnamed_ > 0)
    warnings.push_back(
        fmt::format("sockets that sent a datagram and were closed before their port was known: {}; their datagrams are "
                    "joined to no receiver's",
                    unnamed_));
  if (ambiguous_ > 0)
    warnings.push_back(fmt::format("ways of datagrams that fit several others: {} ({}): they stay apart", ambiguous_,
                                   ambiguous_example_));
  return warnings;
}

}  // namespace dpm
