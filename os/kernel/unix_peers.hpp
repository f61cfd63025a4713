// Which UNIX socket is connected to which: the kernel tells through its socket diagnosis (AF_NETLINK), to any user.
#pragma once

#include <cstdint>
#include <optional>

namespace dpm {

// The inode of the socket at the other end, or 0 if there is none. Nothing if the kernel does not say: it has no
// diagnosis of UNIX sockets (CONFIG_UNIX_DIAG), or the socket was made in another network namespace.
std::optional<std::uint64_t> unix_peer_inode(std::uint64_t inode);

}  // namespace dpm
