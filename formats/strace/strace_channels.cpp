#include "formats/strace/strace_channels.hpp"

#include <fmt/format.h>

#include "formats/strace/strace_origins.hpp"

namespace dpm {
namespace {

std::string name_of(ChannelMedium medium, std::string_view from, std::string_view to) {
  const auto or_unknown = [](std::string_view name) { return name.empty() ? std::string_view("?") : name; };
  switch (medium) {
    case ChannelMedium::pipe:
      return fmt::format("pipe {}", from);
    case ChannelMedium::unix_socket:
      return fmt::format("unix {} > {}", or_unknown(from), or_unknown(to));
    case ChannelMedium::udp:
      return fmt::format("udp {} > {}", or_unknown(from), or_unknown(to));
    default:
      return fmt::format("tcp {} > {}", or_unknown(from), or_unknown(to));
  }
}

// What tells a direction from others.
std::string key_of(ChannelMedium medium, std::string_view from, std::string_view to) {
  return medium == ChannelMedium::unix_socket && !from.empty() ? fmt::format("unix {}", from)
                                                               : name_of(medium, from, to);
}

ChannelEnd end_of(ChannelMedium medium, std::string_view name) {
  const bool is_internet = medium == ChannelMedium::tcp || medium == ChannelMedium::udp;
  return is_internet ? parse_internet_name(name) : ChannelEnd{std::string(name)};
}

}  // namespace

StraceDirectionId StraceChannels::named(ChannelMedium medium, bool is_datagram, std::string_view from,
                                        std::string_view to) {
  const auto [found, is_new] =
      by_key_.try_emplace(key_of(medium, from, to), static_cast<StraceDirectionId>(directions_.size()));
  if (is_new) directions_.push_back({medium, is_datagram, std::string(from), std::string(to), {}});
  return found->second;
}

bool StraceChannels::is_known(ChannelMedium medium, std::string_view from, std::string_view to) const {
  return by_key_.find(key_of(medium, from, to)) != by_key_.end();
}

void StraceChannels::name(StraceDirectionId direction, std::string_view from, std::string_view to) {
  by_key_[key_of(directions_[direction].medium, from, to)] = direction;
  directions_[direction].from = from;
  directions_[direction].to = to;
}

StraceDirectionId StraceChannels::add(ChannelMedium medium, bool is_datagram, std::string from, std::string to) {
  directions_.push_back({medium, is_datagram, std::move(from), std::move(to), {}});
  return static_cast<StraceDirectionId>(directions_.size() - 1);
}

void StraceChannels::begins(StraceDirectionId direction) {
  StraceDirection& again = directions_[direction];
  again.id = {};
  again.sent = again.received = 0;
}

void StraceChannels::begins_unless_unread(StraceDirectionId direction) {
  if (directions_[direction].received > 0) begins(direction);
}

StraceDirection& StraceChannels::used(StraceDirectionId direction, bool sends) {
  StraceDirection& used = directions_[direction];
  if (used.id.is_none()) {
    used.id = ChannelId{static_cast<std::uint32_t>(info_.channels.size())};
    ChannelInfo described{{},
                          name_of(used.medium, used.from, used.to),
                          used.is_datagram ? ChannelKind::datagram : ChannelKind::stream,
                          used.medium};
    described.sender = end_of(used.medium, used.from);
    described.receiver = end_of(used.medium, used.to);
    info_.channels.push_back(std::move(described));
  }
  ChannelInfo& described = info_.channels[used.id.value];
  (sends ? described.sender : described.receiver).machine = kLogMachine;
  return used;
}

void StraceChannels::settle() {
  for (const StraceDirection& direction : directions_) {
    if (direction.id.is_none()) continue;
    ChannelInfo& described = info_.channels[direction.id.value];
    described.name = name_of(direction.medium, direction.from, direction.to);
    const auto complete = [&](ChannelEnd& end, std::string_view name) {
      if (!end.address.empty()) return;
      ChannelEnd known = end_of(direction.medium, name);
      known.machine = end.machine;
      end = std::move(known);
    };
    complete(described.sender, direction.from);
    complete(described.receiver, direction.to);
  }
}

}  // namespace dpm
