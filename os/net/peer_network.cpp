#include "os/net/peer_network.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstddef>

namespace dpm {

std::string peer_network(int socket) {
  constexpr std::size_t kPrefixBytes = 8, kMappedAt = 12;
  sockaddr_storage address = {};
  socklen_t size = sizeof address;
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return "";
  if (address.ss_family == AF_INET) {
    const auto& bytes = reinterpret_cast<const sockaddr_in&>(address).sin_addr;
    return {reinterpret_cast<const char*>(&bytes), sizeof bytes};
  }
  if (address.ss_family != AF_INET6) return "";
  const auto& bytes = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
  const std::string whole(reinterpret_cast<const char*>(&bytes), sizeof bytes);
  return IN6_IS_ADDR_V4MAPPED(&bytes) ? whole.substr(kMappedAt) : whole.substr(0, kPrefixBytes);
}

}  // namespace dpm
