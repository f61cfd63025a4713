// Which UNIX socket is connected to which: the kernel tells through its socket diagnosis (AF_NETLINK), to any user.
#pragma once

#include <cstdint>

namespace dpm {

// The inode of the socket at the other end, or 0 if there is none or the kernel does not say.
std::uint64_t unix_peer_inode(std::uint64_t inode);

}  // namespace dpm
