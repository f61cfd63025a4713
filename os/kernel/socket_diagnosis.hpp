// What the kernel says of a socket where the socket's own options do not: its socket diagnosis (NETLINK_SOCK_DIAG), which answers any user.
// A question takes 5 to 10 us. Nothing is returned if the kernel does not say: it has no diagnosis of such sockets (CONFIG_UNIX_DIAG,
// CONFIG_INET_DIAG), or the socket was made in another network namespace.
#pragma once

#include <cstdint>
#include <optional>

namespace dpm {

// The inode of the UNIX socket at the other end, or 0 if there is none.
std::optional<std::uint64_t> unix_peer_inode(std::uint64_t inode);
// The bytes that a UNIX stream's socket has to be received.
std::optional<std::uint64_t> unix_bytes_waiting(std::uint64_t inode);
// The bytes of a TCP socket that have come and were not read, with urgent bytes and the FIN.
std::optional<std::uint64_t> tcp_unread_bytes(int fd);

}  // namespace dpm
