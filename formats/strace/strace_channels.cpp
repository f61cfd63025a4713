#include "formats/strace/strace_channels.hpp"

#include <fmt/format.h>

#include "formats/strace/strace_origins.hpp"

namespace dpm {
namespace {

std::string name_of(ChannelMedium medium, std::string_view from, std::string_view to) {
  switch (medium) {
    case ChannelMedium::pipe:
      return fmt::format("pipe {}", from);
    case ChannelMedium::unix_socket:
      return fmt::format("unix {} > {}", from, to.empty() ? "?" : to);
    case ChannelMedium::udp:
      return fmt::format("udp {} > {}", from, to);
    default:
      return fmt::format("tcp {} > {}", from, to);
  }
}

// What tells a channel from others.
std::string key_of(ChannelMedium medium, std::string_view from, std::string_view to) {
  return medium == ChannelMedium::unix_socket ? fmt::format("unix {}", from) : name_of(medium, from, to);
}

ChannelEnd end_of(ChannelMedium medium, std::string_view name) {
  const bool is_internet = medium == ChannelMedium::tcp || medium == ChannelMedium::udp;
  return is_internet ? parse_internet_name(name) : ChannelEnd{std::string(name)};
}

}  // namespace

StraceChannels::Channel& StraceChannels::sending(const StraceDescriptor& descriptor) {
  return channel(descriptor, descriptor.local, descriptor.remote, true);
}

StraceChannels::Channel& StraceChannels::receiving(const StraceDescriptor& descriptor) {
  return channel(descriptor, descriptor.remote, descriptor.local, false);
}

StraceDescriptor StraceChannels::completed(StraceDescriptor descriptor) {
  if (descriptor.medium != ChannelMedium::unix_socket) return descriptor;
  if (!descriptor.remote.empty()) {
    unix_peers_[std::string(descriptor.local)] = descriptor.remote;
    unix_peers_[std::string(descriptor.remote)] = descriptor.local;
  } else if (const auto known = unix_peers_.find(descriptor.local); known != unix_peers_.end()) {
    descriptor.remote = known->second;
  }
  return descriptor;
}

void StraceChannels::begins(const StraceDescriptor& descriptor) {
  for (const std::string& key : {key_of(descriptor.medium, descriptor.local, descriptor.remote),
                                 key_of(descriptor.medium, descriptor.remote, descriptor.local)}) {
    const auto known = by_key_.find(key);
    // The other end may have been used before this end was accepted; what it sent is still to be received.
    if (known != by_key_.end() && known->second.received > 0) by_key_.erase(known);
  }
}

void StraceChannels::is_new(const StraceDescriptor& descriptor) {
  if (descriptor.medium != ChannelMedium::unix_socket) return;
  by_key_.erase(key_of(descriptor.medium, descriptor.local, {}));
  if (const auto known = unix_peers_.find(descriptor.local); known != unix_peers_.end()) unix_peers_.erase(known);
}

StraceChannels::Channel& StraceChannels::channel(const StraceDescriptor& of, std::string_view from, std::string_view to,
                                                 bool is_sender) {
  const auto [found, is_first] = by_key_.try_emplace(key_of(of.medium, from, to));
  if (is_first) {
    found->second.id = ChannelId{static_cast<std::uint32_t>(info_.channels.size())};
    ChannelInfo described{
        {}, name_of(of.medium, from, to), of.is_datagram ? ChannelKind::datagram : ChannelKind::stream, of.medium};
    described.sender = end_of(of.medium, from);
    described.receiver = end_of(of.medium, to);
    info_.channels.push_back(std::move(described));
  }
  ChannelInfo& described = info_.channels[found->second.id.value];
  (is_sender ? described.sender : described.receiver).machine = kLogMachine;
  return found->second;
}

}  // namespace dpm
