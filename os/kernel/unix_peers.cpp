#include "os/kernel/unix_peers.hpp"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <sys/socket.h>

#include <cstring>

#include "os/unique_fd.hpp"

namespace dpm {
namespace {

struct Request {
  nlmsghdr header;
  unix_diag_req body;
};

std::optional<std::uint64_t> peer_in(const char* reply, std::size_t length) {
  const auto* header = reinterpret_cast<const nlmsghdr*>(reply);
  if (length < NLMSG_LENGTH(sizeof(unix_diag_msg)) || header->nlmsg_type != SOCK_DIAG_BY_FAMILY ||
      header->nlmsg_len > length)
    return std::nullopt;
  const char* const end = reply + header->nlmsg_len;
  const char* at = reply + NLMSG_LENGTH(NLMSG_ALIGN(sizeof(unix_diag_msg)));
  while (at + sizeof(rtattr) <= end) {
    const auto* attribute = reinterpret_cast<const rtattr*>(at);
    if (attribute->rta_len < sizeof(rtattr) || at + attribute->rta_len > end) return 0;
    if (attribute->rta_type == UNIX_DIAG_PEER) {
      std::uint32_t inode = 0;
      std::memcpy(&inode, at + RTA_LENGTH(0), sizeof inode);
      return inode;
    }
    at += RTA_ALIGN(attribute->rta_len);
  }
  return 0;
}

}  // namespace

std::optional<std::uint64_t> unix_peer_inode(std::uint64_t inode) {
  const UniqueFd netlink(::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!netlink) return std::nullopt;
  Request request = {};
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  request.header.nlmsg_flags = NLM_F_REQUEST;
  request.body.sdiag_family = AF_UNIX;
  request.body.udiag_states = ~0u;
  request.body.udiag_ino = static_cast<std::uint32_t>(inode);
  request.body.udiag_cookie[0] = request.body.udiag_cookie[1] = ~0u;  // INET_DIAG_NOCOOKIE: any
  request.body.udiag_show = UDIAG_SHOW_PEER;
  if (::send(netlink.get(), &request, sizeof request, 0) != static_cast<ssize_t>(sizeof request)) return std::nullopt;
  alignas(nlmsghdr) char reply[1024];
  const ssize_t length = ::recv(netlink.get(), reply, sizeof reply, 0);
  if (length <= 0) return std::nullopt;
  return peer_in(reply, static_cast<std::size_t>(length));
}

}  // namespace dpm
