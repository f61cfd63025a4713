// The ways in which two processes can be connected: each medium makes a connected pair of ends in one process, ready to
// be shared by fork() or threads.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <span>
#include <string>

#include "tests/live/conformance/support/actor.hpp"

namespace dpm {

struct Ends {
  End a, b;
};

struct Medium {
  const char* name;
  Ends (*connect)(const Actor&);
  bool socket;   // send() and recv() work
  bool stream;   // no boundaries between messages
  bool two_way;  // b can send to a
};

std::span<const Medium> media();
const Medium& medium(const std::string& name);

// A name for the socket of this process and purpose that no other process uses: in the abstract namespace of UNIX
// sockets.
sockaddr_un unix_name(const std::string& purpose, socklen_t& length);

// ---- TCP in single steps
struct Listener {
  int fd = -1;
  sockaddr_storage name{};
  socklen_t name_length = 0;
};
Listener tcp_listener(int domain = AF_INET, bool mapped = false);
int connect_to(const Listener& listener, int domain = AF_INET);
// How a TCP connection's channels are called, if the connecting end sends over "c>s".
inline const std::string kToServer = "c>s", kToClient = "s>c";

// A UDP socket bound to a port of 127.0.0.1 or ::1 that the kernel chose.
Listener udp_socket(int domain = AF_INET);

}  // namespace dpm
