#include "tests/live/calls/objects.hpp"

#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/vm_sockets.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <utility>

namespace dpm::cells {
namespace {

// Every one returns 0, or -1 and errno.
int listen_at(Ends& ends, int protocol) {
  auto& to = reinterpret_cast<sockaddr_in&>(ends.to);
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ends.to_bytes = sizeof(sockaddr_in);
  ends.listener = socket(AF_INET, SOCK_STREAM, protocol);
  auto* name = reinterpret_cast<sockaddr*>(&ends.to);
  const int queue = 5;
  if (ends.listener < 0 || bind(ends.listener, name, ends.to_bytes) != 0 || listen(ends.listener, 4) != 0) return -1;
  setsockopt(ends.listener, IPPROTO_TCP, TCP_FASTOPEN, &queue, sizeof queue);
  return getsockname(ends.listener, name, &ends.to_bytes);
}

int connect_by(Ends& ends, int protocol) {
  if (listen_at(ends, protocol) != 0) return -1;
  ends.out = socket(AF_INET, SOCK_STREAM, protocol);
  if (ends.out < 0 || connect(ends.out, reinterpret_cast<sockaddr*>(&ends.to), ends.to_bytes) != 0) return -1;
  ends.in = accept(ends.listener, nullptr, nullptr);
  close(std::exchange(ends.listener, -1));
  return ends.in < 0 ? -1 : 0;
}

int make_tcp(Ends& ends) { return connect_by(ends, IPPROTO_TCP); }
int make_mptcp(Ends& ends) { return connect_by(ends, IPPROTO_MPTCP); }
int make_sctp(Ends& ends) { return connect_by(ends, IPPROTO_SCTP); }

// Not connected: only a fast open sends.
int make_tcp_unconnected(Ends& ends) {
  if (listen_at(ends, IPPROTO_TCP) != 0) return -1;
  ends.out = socket(AF_INET, SOCK_STREAM, 0);
  return ends.out < 0 ? -1 : 0;
}

// The first send makes the connection.
int make_tcp_fast_open(Ends& ends) {
  constexpr int kOne = 1;
  if (make_tcp_unconnected(ends) != 0) return -1;
  if (setsockopt(ends.out, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, &kOne, sizeof kOne) != 0) return -1;
  return connect(ends.out, reinterpret_cast<sockaddr*>(&ends.to), ends.to_bytes);
}

int make_udp(Ends& ends) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof to;
  ends.in = socket(AF_INET, SOCK_DGRAM, 0);
  ends.out = socket(AF_INET, SOCK_DGRAM, 0);
  auto* name = reinterpret_cast<sockaddr*>(&to);
  if (bind(ends.in, name, length) != 0 || getsockname(ends.in, name, &length) != 0) return -1;
  return connect(ends.out, name, length);
}

int make_udp_segments(Ends& ends) {
  constexpr int kSegment = kSegmentBytes;
  ends.bytes = kSegmentedBytes;
  if (make_udp(ends) != 0) return -1;
  return setsockopt(ends.out, SOL_UDP, UDP_SEGMENT, &kSegment, sizeof kSegment);
}

int make_udp_merged(Ends& ends) {
  constexpr int kOne = 1;
  if (make_udp_segments(ends) != 0) return -1;
  return setsockopt(ends.in, SOL_UDP, UDP_GRO, &kOne, sizeof kOne);
}

int make_pair(Ends& ends, int type) {
  int both[2];
  if (socketpair(AF_UNIX, type, 0, both) != 0) return -1;
  ends.out = both[0];
  ends.in = both[1];
  return 0;
}
int make_unix_stream(Ends& ends) { return make_pair(ends, SOCK_STREAM); }
int make_unix_datagram(Ends& ends) { return make_pair(ends, SOCK_DGRAM); }
int make_unix_packets(Ends& ends) { return make_pair(ends, SOCK_SEQPACKET); }

int make_pipe_by(Ends& ends, int flags) {
  int both[2];
  if (pipe2(both, flags) != 0) return -1;
  ends.in = both[0];
  ends.out = both[1];
  return 0;
}
int make_pipe(Ends& ends) { return make_pipe_by(ends, 0); }
int make_packet_pipe(Ends& ends) { return make_pipe_by(ends, O_DIRECT); }

int make_fifo(Ends& ends) {
  const std::string path = "fifo-" + std::to_string(getpid());
  if (mkfifo(path.c_str(), 0600) != 0) return -1;
  ends.in = open(path.c_str(), O_RDONLY | O_NONBLOCK);
  ends.out = open(path.c_str(), O_WRONLY);
  return ends.out < 0 ? -1 : fcntl(ends.in, F_SETFL, 0);
}

int make_pty(Ends& ends) {
  ends.in = posix_openpt(O_RDWR | O_NOCTTY);
  if (ends.in < 0 || grantpt(ends.in) != 0 || unlockpt(ends.in) != 0) return -1;
  ends.out = open(ptsname(ends.in), O_RDWR | O_NOCTTY);
  termios raw{};
  if (ends.out < 0 || tcgetattr(ends.out, &raw) != 0) return -1;
  cfmakeraw(&raw);
  return tcsetattr(ends.out, TCSANOW, &raw);
}

int make_eventfd(Ends& ends) {
  ends.in = ends.out = eventfd(0, 0);
  ends.bytes = sizeof(std::uint64_t);
  ends.counts_units = true;
  return ends.in < 0 ? -1 : 0;
}

int make_netlink(Ends& ends) {
  sockaddr_nl name{};
  name.nl_family = AF_NETLINK;
  socklen_t length = sizeof name;
  auto* at = reinterpret_cast<sockaddr*>(&name);
  ends.in = socket(AF_NETLINK, SOCK_RAW, NETLINK_USERSOCK);
  ends.out = socket(AF_NETLINK, SOCK_RAW, NETLINK_USERSOCK);
  if (ends.out < 0 || bind(ends.in, at, length) != 0 || getsockname(ends.in, at, &length) != 0) return -1;
  return connect(ends.out, at, length);
}

int make_vsock(Ends& ends) {
  auto& to = reinterpret_cast<sockaddr_vm&>(ends.to);
  to.svm_family = AF_VSOCK;
  to.svm_cid = VMADDR_CID_LOCAL;
  to.svm_port = VMADDR_PORT_ANY;
  ends.to_bytes = sizeof to;
  auto* name = reinterpret_cast<sockaddr*>(&ends.to);
  const int listener = socket(AF_VSOCK, SOCK_STREAM, 0);
  if (listener < 0 || bind(listener, name, ends.to_bytes) != 0 || listen(listener, 4) != 0) return -1;
  if (getsockname(listener, name, &ends.to_bytes) != 0) return -1;
  ends.out = socket(AF_VSOCK, SOCK_STREAM, 0);
  if (connect(ends.out, name, ends.to_bytes) != 0) return -1;
  ends.in = accept(listener, nullptr, nullptr);
  return ends.in < 0 ? -1 : 0;
}

int make_posix_queue(Ends& ends) {
  const std::string name = "/dpm-cells-" + std::to_string(getpid());
  mq_attr attributes{};
  attributes.mq_maxmsg = 4;
  attributes.mq_msgsize = 1024;
  ends.out = mq_open(name.c_str(), O_CREAT | O_WRONLY, 0600, &attributes);
  if (ends.out < 0) return -1;
  ends.in = mq_open(name.c_str(), O_RDONLY);
  return mq_unlink(name.c_str());
}

int make_sysv_queue(Ends& ends) {
  ends.in = ends.out = msgget(IPC_PRIVATE, 0600);
  ends.is_queue = true;
  return ends.in < 0 ? -1 : 0;
}

int make_memfd(Ends& ends) {
  ends.out = memfd_create("cells", 0);
  if (ends.out < 0) return -1;
  ends.in = open(("/proc/self/fd/" + std::to_string(ends.out)).c_str(), O_RDWR);
  return ends.in < 0 ? -1 : 0;
}

}  // namespace

const std::vector<Object>& objects() {
  static const std::vector<Object> all = {
      {"tcp", make_tcp},
      {"tcp_unconnected", make_tcp_unconnected},
      {"tcp_fast_open", make_tcp_fast_open},
      {"mptcp", make_mptcp},
      {"udp", make_udp},
      {"udp_segments", make_udp_segments},
      {"udp_merged", make_udp_merged},
      {"unix_stream", make_unix_stream},
      {"unix_datagram", make_unix_datagram},
      {"unix_packets", make_unix_packets},
      {"pipe", make_pipe},
      {"packet_pipe", make_packet_pipe},
      {"fifo", make_fifo},
      {"pty", make_pty},
      {"eventfd", make_eventfd},
      {"netlink", make_netlink},
      {"sctp", make_sctp},
      {"vsock", make_vsock},
      {"posix_queue", make_posix_queue},
      {"sysv_queue", make_sysv_queue},
      {"memfd", make_memfd},
  };
  return all;
}

}  // namespace dpm::cells
