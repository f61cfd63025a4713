#include "formats/strace/strace_descriptor.hpp"

#include <array>
#include <charconv>
#include <utility>

namespace dpm {
namespace {

struct Protocol {
  std::string_view prefix;
  ChannelMedium medium;
  bool is_datagram;
};
// A longer prefix stands before a shorter one that it begins with.
constexpr std::array kProtocols = {
    Protocol{"TCPv6:[", ChannelMedium::tcp, false},
    Protocol{"TCP:[", ChannelMedium::tcp, false},
    Protocol{"UDPv6:[", ChannelMedium::udp, true},
    Protocol{"UDP:[", ChannelMedium::udp, true},
    Protocol{"UNIX-STREAM:[", ChannelMedium::unix_socket, false},
    Protocol{"UNIX-SEQPACKET:[", ChannelMedium::unix_socket, true},
    Protocol{"UNIX-DGRAM:[", ChannelMedium::unix_socket, true},
    Protocol{"UNIX:[", ChannelMedium::unix_socket, false},
    Protocol{"pipe:[", ChannelMedium::pipe, false},
};

}  // namespace

std::optional<StraceDescriptor> parse_descriptor(std::string_view argument) {
  StraceDescriptor descriptor;
  const auto [end, error] = std::from_chars(argument.data(), argument.data() + argument.size(), descriptor.number);
  if (error != std::errc{}) return std::nullopt;
  argument.remove_prefix(static_cast<std::size_t>(end - argument.data()));
  if (!argument.starts_with('<')) return std::nullopt;
  argument.remove_prefix(1);
  for (const Protocol& protocol : kProtocols) {
    if (!argument.starts_with(protocol.prefix)) continue;
    argument.remove_prefix(protocol.prefix.size());
    const auto close = argument.rfind(']');
    if (close == std::string_view::npos) return descriptor;
    // "123->124, @\"name\"": a UNIX socket with a path.
    std::string_view ends = argument.substr(0, close);
    ends = ends.substr(0, ends.find(','));
    const auto arrow = ends.find("->");
    descriptor.medium = protocol.medium;
    descriptor.is_datagram = protocol.is_datagram;
    descriptor.local = ends.substr(0, arrow);
    if (arrow != std::string_view::npos) descriptor.remote = ends.substr(arrow + 2);
    if (protocol.medium == ChannelMedium::pipe) descriptor.remote = descriptor.local;
    return descriptor;
  }
  return descriptor;
}

}  // namespace dpm
