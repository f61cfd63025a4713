// What strace -yy says about a descriptor: "7<TCP:[127.0.0.1:7733->127.0.0.1:40854]>".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/channel_end.hpp"

namespace dpm {

struct StraceDescriptor {
  std::uint32_t number = 0;
  ChannelMedium medium = ChannelMedium::unknown;  // unknown: a file, a device
  bool is_datagram = false;
  // Names of both ends: "127.0.0.1:7733", "151741" (a UNIX socket or a pipe). No remote one: not connected.
  std::string_view local, remote;
};

// None: without what -yy adds.
std::optional<StraceDescriptor> parse_descriptor(std::string_view argument);

}  // namespace dpm
