#include "backends/linux/custody/keeper/keeper_protocol.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace dpm {
namespace {

constexpr std::size_t kDescriptorsMax = 4;
constexpr std::size_t kPacketMax = sizeof(KeeperReply) + 1;  // one more, to notice longer ones

union ControlSpace {
  cmsghdr alignment;
  char bytes[CMSG_SPACE(kDescriptorsMax * sizeof(int))];
};

std::vector<UniqueFd> descriptors_in(msghdr& header) {
  std::vector<UniqueFd> descriptors;
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof fd, sizeof fd);
      descriptors.emplace_back(fd);
    }
  }
  return descriptors;
}

}  // namespace

void KeeperReply::set_command(const std::string& text) {
  command = {};
  std::copy_n(text.begin(), std::min(text.size(), command.size() - 1), command.begin());
}

std::string KeeperReply::command_text() const { return {command.data(), ::strnlen(command.data(), command.size())}; }

bool send_packet(int connection, std::span<const std::byte> bytes, std::span<const int> descriptors) {
  iovec part{const_cast<std::byte*>(bytes.data()), bytes.size()};
  ControlSpace control = {};
  msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (!descriptors.empty()) {
    header.msg_control = control.bytes;
    header.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(rights), descriptors.data(), descriptors.size_bytes());
  }
  return ::sendmsg(connection, &header, MSG_DONTWAIT | MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

std::optional<Packet> receive_packet(int connection) {
  Packet packet;
  packet.bytes.resize(kPacketMax);
  iovec part{packet.bytes.data(), packet.bytes.size()};
  ControlSpace control = {};
  msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.bytes;
  header.msg_controllen = sizeof control;
  ssize_t length = 0;
  while ((length = ::recvmsg(connection, &header, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {
  }
  if (length < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return std::nullopt;
  if (length > 0) packet.descriptors = descriptors_in(header);
  packet.bytes.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  return packet;
}

}  // namespace dpm
