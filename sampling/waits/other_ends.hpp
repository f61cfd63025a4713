// The other end of the channel behind a descriptor: the processes that have it.
//
// UNIX sockets: the kernel's socket diagnosis knows the socket at the other end. TCP: the socket with the same two addresses, the other way
// round. Pipes: all others that have the pipe. Which process has a socket or pipe is found in the descriptors of all processes; of
// those of other accounts only root sees them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dpm::sampling {

// "0100007F:1F90" of /proc/net/tcp and tcp6 for people: "127.0.0.1:8080"; an address of IPv4 in IPv6 as one of IPv4.
std::string address_text(std::string_view hexadecimal);

class OtherEnds {
 public:
  // In words: names of processes ("client, backup"); an address of a process that is not here; "" if it is not known; and of what is not a
  // channel, what it is ("/dev/pts/3", "timerfd").
  std::string of(std::uint32_t thread, int descriptor);

 private:
  struct Owner {
    std::uint32_t pid = 0;
    std::string name;
  };
  struct TcpSocket {
    std::string local, peer;
    bool listens = false;
  };

  std::string of_socket(std::uint32_t pid, const std::string& link);
  // Of all but this process; looks again at all processes if nothing has it, at most twice a second.
  std::string owners_of(const std::string& link, std::uint32_t but_pid);
  std::string known_owners(const std::string& link, std::uint32_t but_pid) const;
  void find_owners();
  void find_tcp(std::uint32_t pid);
  const TcpSocket* tcp_socket(std::uint32_t pid, const std::string& link);

  std::unordered_map<std::string, std::vector<Owner>> owners_;  // by "socket:[123]", "pipe:[45]"
  std::unordered_map<std::string, TcpSocket> tcp_;              // likewise
  std::map<std::string, std::string> tcp_by_addresses_;         // "local peer": its link
  std::int64_t owners_found_ns_ = 0, tcp_found_ns_ = 0;
};

}  // namespace dpm::sampling
