#include "os/kernel/socket_diagnosis.hpp"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstring>

#include "os/unique_fd.hpp"

namespace dpm {
namespace {

using Reply = std::array<char, 2048>;

// The length of what the kernel says of the socket; 0: nothing. An answer begins with an `Answer`.
template <typename Answer, typename Question>
std::size_t ask(const Question& question, Reply& reply) {
  const UniqueFd netlink(::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!netlink) return 0;
  struct {
    nlmsghdr header;
    Question body;
  } request = {};
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  request.header.nlmsg_flags = NLM_F_REQUEST;
  request.body = question;
  if (::send(netlink.get(), &request, sizeof request, 0) != static_cast<ssize_t>(sizeof request)) return 0;
  const ssize_t length = ::recv(netlink.get(), reply.data(), reply.size(), 0);
  if (length < static_cast<ssize_t> NLMSG_LENGTH(sizeof(Answer))) return 0;
  nlmsghdr header = {};
  std::memcpy(&header, reply.data(), sizeof header);
  const bool is_answer =
      header.nlmsg_type == SOCK_DIAG_BY_FAMILY && header.nlmsg_len <= static_cast<std::size_t>(length);
  return is_answer ? header.nlmsg_len : 0;
}

std::size_t ask_unix(std::uint64_t inode, std::uint32_t show, Reply& reply) {
  unix_diag_req question = {};
  question.sdiag_family = AF_UNIX;
  question.udiag_states = ~0u;
  question.udiag_ino = static_cast<std::uint32_t>(inode);
  question.udiag_cookie[0] = question.udiag_cookie[1] = ~0u;  // INET_DIAG_NOCOOKIE: any
  question.udiag_show = show;
  return ask<unix_diag_msg>(question, reply);
}

// The first number of an attribute of the answer.
std::optional<std::uint32_t> attribute_in(const Reply& reply, std::size_t length, int type) {
  std::size_t at = NLMSG_LENGTH(NLMSG_ALIGN(sizeof(unix_diag_msg)));
  while (at + RTA_LENGTH(sizeof(std::uint32_t)) <= length) {
    rtattr attribute = {};
    std::memcpy(&attribute, reply.data() + at, sizeof attribute);
    if (attribute.rta_len < sizeof attribute || at + attribute.rta_len > length) break;
    std::uint32_t value = 0;
    std::memcpy(&value, reply.data() + at + RTA_LENGTH(0), sizeof value);
    if (attribute.rta_type == type) return value;
    at += RTA_ALIGN(attribute.rta_len);
  }
  return std::nullopt;
}

// The address and the port, in the form of the question.
void place_end(const sockaddr_storage& end, std::array<std::uint32_t, 4>& address, std::uint16_t& port) {
  if (end.ss_family == AF_INET) {
    const auto& internet = reinterpret_cast<const sockaddr_in&>(end);
    std::memcpy(address.data(), &internet.sin_addr, sizeof internet.sin_addr);
    port = internet.sin_port;
  } else {
    const auto& internet = reinterpret_cast<const sockaddr_in6&>(end);
    std::memcpy(address.data(), &internet.sin6_addr, sizeof internet.sin6_addr);
    port = internet.sin6_port;
  }
}

bool describe(int fd, inet_diag_req_v2& request) {
  sockaddr_storage own = {}, peer = {};
  socklen_t own_length = sizeof own, peer_length = sizeof peer;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&own), &own_length) != 0) return false;
  if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &peer_length) != 0) return false;
  if (own.ss_family != AF_INET && own.ss_family != AF_INET6) return false;
  std::uint64_t cookie = 0;
  socklen_t length = sizeof cookie;
  if (::getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &length) != 0) return false;
  std::array<std::uint32_t, 4> address = {};
  place_end(own, address, request.id.idiag_sport);
  std::memcpy(request.id.idiag_src, address.data(), sizeof request.id.idiag_src);
  address = {};
  place_end(peer, address, request.id.idiag_dport);
  std::memcpy(request.id.idiag_dst, address.data(), sizeof request.id.idiag_dst);
  request.sdiag_family = static_cast<std::uint8_t>(own.ss_family);
  request.sdiag_protocol = IPPROTO_TCP;
  request.idiag_states = ~0u;
  request.id.idiag_cookie[0] = static_cast<std::uint32_t>(cookie);
  request.id.idiag_cookie[1] = static_cast<std::uint32_t>(cookie >> 32);
  return true;
}

}  // namespace

std::optional<std::uint64_t> unix_peer_inode(std::uint64_t inode) {
  Reply reply;
  const std::size_t length = ask_unix(inode, UDIAG_SHOW_PEER, reply);
  if (length == 0) return std::nullopt;
  return attribute_in(reply, length, UNIX_DIAG_PEER).value_or(0);
}

std::optional<std::uint64_t> unix_bytes_waiting(std::uint64_t inode) {
  Reply reply;
  const std::size_t length = ask_unix(inode, UDIAG_SHOW_RQLEN, reply);
  return length == 0 ? std::nullopt : attribute_in(reply, length, UNIX_DIAG_RQLEN);
}

std::optional<std::uint64_t> tcp_unread_bytes(int fd) {
  inet_diag_req_v2 question = {};
  Reply reply;
  if (!describe(fd, question) || ask<inet_diag_msg>(question, reply) == 0) return std::nullopt;
  inet_diag_msg told = {};
  std::memcpy(&told, reply.data() + NLMSG_HDRLEN, sizeof told);
  return told.idiag_rqueue;
}

}  // namespace dpm
