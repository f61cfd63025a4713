#include "backends/linux/bpf/followed_files.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

namespace dpm {
namespace {

constexpr int kListens = 10;  // of the states of a socket, as the kernel numbers them

Medium medium_of(const dpm_socket_record& record) {
  if (record.family == AF_UNIX) {
    if (record.type == SOCK_STREAM) return Medium::unix_stream;
    return record.type == SOCK_SEQPACKET ? Medium::unix_seqpacket : Medium::unix_datagram;
  }
  if (record.family != AF_INET && record.family != AF_INET6) return Medium::none;
  const bool is_tcp = record.protocol == IPPROTO_TCP || record.protocol == IPPROTO_MPTCP;
  if (record.type == SOCK_STREAM && is_tcp) return Medium::tcp;
  return record.type == SOCK_DGRAM && record.protocol == IPPROTO_UDP ? Medium::udp : Medium::none;
}

std::string internet_name(int family, const unsigned char (&address)[16], std::uint16_t port) {
  if (family == AF_INET) {
    sockaddr_in name = {};
    name.sin_family = AF_INET;
    name.sin_port = htons(port);
    std::memcpy(&name.sin_addr, address, sizeof name.sin_addr);
    return socket_name(&name, sizeof name);
  }
  sockaddr_in6 name = {};
  name.sin6_family = AF_INET6;
  name.sin6_port = htons(port);
  std::memcpy(&name.sin6_addr, address, sizeof name.sin6_addr);
  return socket_name(&name, sizeof name);
}

std::string unix_name(const char (&path)[dpm_path_max], std::uint16_t length) {
  sockaddr_un name = {};
  name.sun_family = AF_UNIX;
  const std::size_t size = std::min<std::size_t>(length, sizeof name.sun_path);
  std::memcpy(name.sun_path, path, size);
  return socket_name(&name, offsetof(sockaddr_un, sun_path) + size);
}

SocketDescription description_of(const dpm_socket_record& record) {
  SocketDescription socket;
  socket.medium = medium_of(record);
  socket.domain = record.family;
  socket.type = record.type;
  socket.protocol = record.family == AF_UNIX ? 0 : record.protocol;
  socket.listening = record.state == kListens;
  socket.connected = record.is_connected != 0;
  socket.inode = record.file;
  socket.peer_inode = record.peer_file;
  socket.peer_pid = static_cast<int>(record.peer_pid);
  socket.syn_counted = record.syn_counted != 0;
  if (record.family == AF_UNIX) {
    socket.local_name = unix_name(record.local_path, record.local_length);
    socket.peer_name = unix_name(record.peer_path, record.peer_length);
    return socket;
  }
  socket.local_name = internet_name(record.family, record.local, record.local_port);
  if (socket.connected) socket.peer_name = internet_name(record.family, record.peer, record.peer_port);
  return socket;
}

}  // namespace

std::string name_of_address(const dpm_address& address) {
  return socket_name(address.bytes, std::min<std::size_t>(address.length, sizeof address.bytes));
}

std::string name_of_address(const dpm_path_address& address) {
  return socket_name(address.bytes, std::min<std::size_t>(address.length, sizeof address.bytes));
}

void FollowedFiles::take(const dpm_socket_record& record) {
  SocketDescription description = description_of(record);
  if (description.medium == Medium::none) return remember_without_messages(record.file);
  const bool is_stream = description.medium == Medium::tcp || description.medium == Medium::unix_stream;
  Socket* known = conversations_.find(record.file);
  if (known == nullptr) {
    if (is_stream && !description.connected && !description.listening) return remember_without_messages(record.file);
    without_messages_.erase(record.file);
    conversations_.add(record.file, std::move(description));
  } else if (!is_stream || known->out == nullptr) {
    conversations_.describe_again(*known, std::move(description));
  }
}

// One that is forgotten here is counted as lost if it is used once more, which is too much and not too little.
void FollowedFiles::remember_without_messages(std::uint32_t number) {
  constexpr std::size_t kSocketsMax = 65536;
  if (without_messages_.size() >= kSocketsMax) without_messages_.clear();
  without_messages_.insert(number);
}

void FollowedFiles::take(const dpm_pipe_record& record) {
  constexpr unsigned kMinorBits = 20;  // as the kernel itself numbers devices
  const unsigned minor_mask = (1u << kMinorBits) - 1;
  remember(record.file, {makedev(record.device >> kMinorBits, record.device & minor_mask), record.inode});
}

void FollowedFiles::remember(std::uint32_t number, const Pipe& pipe) {
  if (pipes_.size() >= kPipesMax) {
    older_pipes_ = std::move(pipes_);
    pipes_.clear();
  }
  pipes_[number] = pipe;
}

const FollowedFiles::Pipe* FollowedFiles::find_pipe(std::uint32_t number) {
  if (const auto found = pipes_.find(number); found != pipes_.end()) return &found->second;
  const auto older = older_pipes_.find(number);
  if (older == older_pipes_.end()) return nullptr;
  const Pipe pipe = older->second;
  older_pipes_.erase(older);
  remember(number, pipe);
  return &pipes_[number];
}

Flow* FollowedFiles::pipe(std::uint32_t number) {
  const Pipe* found = find_pipe(number);
  return found == nullptr ? nullptr : &conversations_.pipe(found->device, found->inode);
}

Flow* FollowedFiles::eventfd(std::uint32_t number, std::uint32_t pid) {
  const Pipe* found = find_pipe(number);
  return found == nullptr ? nullptr : &conversations_.eventfds().used_by(pid, found->inode, 0);
}

}  // namespace dpm
