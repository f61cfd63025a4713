#include "backends/linux/calls/flow_names.hpp"

#include <fmt/format.h>

namespace dpm {
namespace {

ChannelMedium carrier_of(Medium medium) {
  if (medium == Medium::tcp) return ChannelMedium::tcp;
  return medium == Medium::udp ? ChannelMedium::udp : ChannelMedium::unix_socket;
}

}  // namespace

std::string unix_end(std::uint64_t inode, const std::string& path) {
  const std::string number = fmt::format("socket:[{}]", inode);
  return path.empty() ? number : fmt::format("{}#{}", path, inode);
}

std::string flow_name(Medium medium, const std::string& from, const std::string& to) {
  return fmt::format("{} {} > {}", to_string(medium), from, to);
}

ChannelEnd end_named(Medium medium, const std::string& name) {
  if (medium == Medium::tcp || medium == Medium::udp) return parse_internet_name(name);
  ChannelEnd end;
  end.address = name;
  return end;
}

ChannelInfo describe_flow(Medium medium, ChannelKind kind, const std::string& from, const std::string& to) {
  ChannelInfo described;
  described.name = flow_name(medium, from, to);
  described.kind = kind;
  described.medium = carrier_of(medium);
  described.sender = end_named(medium, from);
  described.receiver = end_named(medium, to);
  return described;
}

}  // namespace dpm
