#include "trace/merge/stream_names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "trace/merge/machine_addresses.hpp"

namespace dpm {
namespace {

std::string socket_key(const std::string& host, const ChannelEnd& end, bool sending, const std::string& names) {
  return fmt::format("{}{}{} {}", host, sending ? "s" : "r", end.socket, names);
}

}  // namespace

std::string StreamNames::key_of(const ChannelInfo& described) const {
  std::string key = fmt::format("{}>{}", to_string(described.sender), to_string(described.receiver));
  if (is_loopback_address(described.sender.address) || is_loopback_address(described.receiver.address)) {
    const MachineId machine =
        described.sender.machine.is_none() ? described.receiver.machine : described.sender.machine;
    key += "@" + host_key(*info_, machine);
  }
  return key;
}

// Whether the k-th of one end is the k-th of the other.
bool StreamNames::is_certain(const std::vector<Sight>& own, const std::vector<Sight>& others, const Sight& now) const {
  const auto of_other_machine = [](MachineId machine) {
    return [machine](const Sight& sight) { return sight.machine != machine; };
  };
  if (std::any_of(own.begin(), own.end(), of_other_machine(now.machine))) return false;
  if (others.empty() || std::any_of(others.begin(), others.end(), of_other_machine(others.front().machine)))
    return false;
  if (own.empty() && others.size() == 1) return true;
  const auto of_first_meter = [](std::size_t input) {
    return [input](const Sight& sight) { return sight.input == input && sight.knows_beginning; };
  };
  return now.knows_beginning && std::all_of(own.begin(), own.end(), of_first_meter(now.input)) &&
         std::all_of(others.begin(), others.end(), of_first_meter(others.front().input));
}

ChannelId StreamNames::find(const ChannelInfo& described, ChannelOrigin origin) {
  const bool sends = !described.sender.machine.is_none(), receives = !described.receiver.machine.is_none();
  const std::string key = key_of(described);
  for (const bool sending : {true, false}) {
    const ChannelEnd& end = sending ? described.sender : described.receiver;
    if (end.machine.is_none() || end.socket == 0) continue;
    const auto known = by_socket_.find(socket_key(host_key(*info_, end.machine), end, sending, key));
    if (known != by_socket_.end()) return known->second;
  }
  if (sends == receives) return {};  // no socket is there, or one meter saw both ends
  const auto known = by_names_.find(key);
  if (known == by_names_.end()) return {};
  const auto& own = sends ? known->second.sending : known->second.receiving;
  const auto& others = sends ? known->second.receiving : known->second.sending;
  if (own.size() >= others.size()) return {};
  const ChannelId found = others[own.size()].channel;
  const ChannelInfo& other = (*channels_)[found];
  const bool is_free = (sends ? other.sender : other.receiver).machine.is_none();
  const MachineId here = sends ? described.sender.machine : described.receiver.machine;
  if (is_free && is_certain(own, others, {{}, here, origin.input, origin.knows_beginning})) return found;
  if (++ambiguous_ == 1) ambiguous_example_ = described.name;
  return {};
}

void StreamNames::note(ChannelId channel, const ChannelInfo& described, ChannelOrigin origin) {
  const std::string key = key_of(described);
  for (const bool sending : {true, false}) {
    const ChannelEnd& end = sending ? described.sender : described.receiver;
    if (end.machine.is_none()) continue;
    Keys& keys = keys_[channel.value];
    if (end.socket != 0) {
      std::string socket = socket_key(host_key(*info_, end.machine), end, sending, key);
      if (!by_socket_.try_emplace(socket, channel).second) continue;
      keys.sockets.push_back(std::move(socket));
    }
    keys.names.push_back(key);
    Connections& known = by_names_[key];
    (sending ? known.sending : known.receiving).push_back({channel, end.machine, origin.input, origin.knows_beginning});
  }
}

void StreamNames::forget(ChannelId channel) {
  const auto keys = keys_.find(channel.value);
  if (keys == keys_.end()) return;
  for (const auto& socket : keys->second.sockets) by_socket_.erase(socket);
  for (const auto& names : keys->second.names) {
    const auto known = by_names_.find(names);
    if (known == by_names_.end()) continue;
    const auto is_it = [channel](const Sight& sight) { return sight.channel == channel; };
    std::erase_if(known->second.sending, is_it);
    std::erase_if(known->second.receiving, is_it);
    if (known->second.sending.empty() && known->second.receiving.empty()) by_names_.erase(known);
  }
  keys_.erase(keys);
}

std::vector<std::string> StreamNames::warnings() const {
  std::vector<std::string> warnings;
  if (ambiguous_ > 0)
    warnings.push_back(
        fmt::format("directions of connections that stay apart from their other ends: {} ({}); their names were used "
                    "more than once, or by several machines, and not all of it was seen",
                    ambiguous_, ambiguous_example_));
  std::uint64_t uneven = 0;
  std::string example;
  for (const auto& [names, known] : by_names_) {
    const std::size_t sending = known.sending.size(), receiving = known.receiving.size();
    if (sending == receiving || sending == 0 || receiving == 0) continue;
    ++uneven;
    const std::string text = fmt::format("{}: {} at the sending end, {} at the other", names, sending, receiving);
    if (example.empty() || text < example) example = text;
  }
  if (uneven > 0)
    warnings.push_back(
        fmt::format("pairs of names that were used unequally often at their two ends: {} ({}); which of these "
                    "connections belong together is not certain",
                    uneven, example));
  return warnings;
}

}  // namespace dpm
