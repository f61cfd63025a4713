// Which socket each descriptor of a process was when the process last used it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace dpm {

class DescriptorTable {
 public:
  // One past the highest descriptor that was ever used.
  std::size_t size() const { return sockets_.size(); }
  // The socket's cookie; 0 if no socket was seen at this descriptor.
  std::uint64_t at(std::size_t fd) const { return fd < sockets_.size() ? sockets_[fd] : 0; }
  bool holds(std::uint64_t socket) const { return times_.contains(socket); }

  // The descriptor is `socket` from now on (0: none). Returns the socket that it was before if no other descriptor is
  // that socket, otherwise 0.
  std::uint64_t put(std::size_t fd, std::uint64_t socket) {
    if (fd >= sockets_.size()) sockets_.resize(fd + 1);
    const std::uint64_t before = std::exchange(sockets_[fd], socket);
    if (socket != 0) ++times_[socket];
    if (before == 0 || --times_.at(before) > 0) return 0;
    times_.erase(before);
    return before;
  }

  void clear() {
    sockets_.clear();
    times_.clear();
  }

  template <typename Handle>
  void for_each_socket(Handle&& handle) const {
    for (const auto& [socket, times] : times_) handle(socket);
  }

 private:
  std::vector<std::uint64_t> sockets_;                      // by descriptor
  std::unordered_map<std::uint64_t, std::uint32_t> times_;  // descriptors of each socket
};

}  // namespace dpm
