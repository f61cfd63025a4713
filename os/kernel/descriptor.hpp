// What a descriptor of a metered process is, and where its byte streams stand. All functions work on a duplicate that
// the caller borrowed (tracee.hpp) and change nothing about the open file: no pending error is taken, no flag is set.
//
// Identity. A descriptor's number does not identify a file for long: close(), dup(), fork() and descriptor passing all
// happen unseen. A socket's cookie (unique as long as its network namespace lives) and a pipe's device and inode
// identify it, and are read at every call.
//
// Stream offsets (measured exact in half a million operations, also with packet loss): with B = bytes acknowledged and
// Q = bytes not yet acknowledged, the next byte a TCP socket sends has offset B + Q - s, s = 1 on the side that
// connected (its SYN is counted). With R = bytes received and I = bytes not yet read, the next byte it reads has offset
// R - I - f, f = 1 once the peer's FIN has arrived. The two numbers of a sum come from two calls, so they are read
// again until the first is the same before and after the second.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace dpm {

struct DescriptorIdentity {
  // other: a file, a terminal, an epoll, ...; terminal_master: the side of a pseudo-terminal that a program keeps for itself
  enum class Kind : std::uint8_t { other, socket, pipe, eventfd, terminal_master };
  Kind kind = Kind::other;
  std::uint64_t id = 0;      // cookie, inode, or the kernel's number of the eventfd
  std::uint64_t device = 0;  // of a pipe's inode

  // One number for tables of waiting calls: cookies and eventfds are both numbered from 1. Two pipes on different
  // devices may have the same.
  std::uint64_t number() const { return id ^ (static_cast<std::uint64_t>(kind) << 62); }

  friend bool operator==(const DescriptorIdentity&, const DescriptorIdentity&) = default;
};
// `probably_socket`: a right guess saves a system call, and changes nothing else.
DescriptorIdentity identify(int fd, bool probably_socket = true);

// What an eventfd holds. Costs 8 us.
struct EventCounter {
  std::uint64_t id = 0;  // the kernel reuses it once the eventfd is gone
  std::uint64_t count = 0;
  bool is_semaphore = false;  // a read takes one, and not all
};
std::optional<EventCounter> read_event_counter(int fd);
// The lines of /proc/PID/fdinfo, for tests.
std::optional<EventCounter> parse_event_counter(const char* text);

enum class Medium : std::uint8_t {
  none,  // processes do not exchange messages there: netlink, packet sockets, ...
  tcp,
  udp,
  unix_stream,
  unix_datagram,
  unix_seqpacket,
  pipe,
};
std::string to_string(Medium medium);
bool keeps_boundaries(Medium medium);  // messages keep their boundaries

// What does not change while a socket is connected. Names are "127.0.0.1:6379", "[::1]:6379", a path, "@abstract", or
// empty; IPv4 addresses mapped into IPv6 are written as IPv4.
struct SocketDescription {
  Medium medium = Medium::none;
  int domain = 0, type = 0, protocol = 0;
  bool listening = false;
  bool connected = false;
  std::string local_name, peer_name;
  std::uint64_t inode = 0;       // as /proc/PID/fd names it
  std::uint64_t peer_inode = 0;  // of UNIX sockets; 0 if unknown
  bool peer_is_untold = false;   // the kernel does not say which UNIX socket is the peer (socket_diagnosis.hpp)
  bool syn_counted = false;      // TCP: this side connected
  int peer_pid = 0;              // UNIX: who connected or listened
};
SocketDescription describe_socket(int fd);
// Netlink, but for its one protocol by which processes talk with each other.
bool talks_with_kernel(const SocketDescription& socket);

struct SendState {
  std::uint64_t offset = 0;  // of the next byte that would be sent
  bool ended = false;        // this side has been shut down: nothing can be sent any more
};
// Nothing for a connection that was reset or never made. If the first reading is `expected`, no second one is needed.
std::optional<SendState> tcp_send_state(int fd, bool syn_counted, std::uint64_t expected);

struct ReceiveState {
  std::uint64_t offset = 0;   // of the next byte that would be read (TCP only)
  std::uint32_t waiting = 0;  // bytes that can be read now
  bool ended = false;         // the peer has closed its side (TCP only)
  bool at_urgent = false;     // the byte at `offset` is urgent: the next receive passes it, and takes what follows
};
// `expected`: the offset that the records lead to. It also tells a closed socket's last byte from the peer's FIN. `may_be_urgent`: an urgent
// byte may be in the stream. Before such a byte, the kernel counts only what comes until there as waiting; one that was not taken is found
// in any case.
std::optional<ReceiveState> tcp_receive_state(int fd, std::uint64_t expected, bool may_be_urgent = false);
// Where the urgent byte is that a receive with MSG_OOB would get now.
std::optional<std::uint64_t> tcp_urgent_offset(int fd);
// For how long no data has come, at least: the kernel counts in ticks, which are 1 to 10 ms.
std::uint64_t tcp_quiet_ns(int fd);

// A call that sends into this pipe or UNIX stream would fail: the other end is closed. (Of other sockets poll() cannot
// tell an error from a message in their error queue.)
bool cannot_send(int fd);
// The memory of the messages that were sent from this UNIX socket and wait to be received. Costs 0.3 us.
std::uint64_t memory_not_received(int fd);
// How many of these bytes this UNIX stream takes at once, as far as its send buffer goes. Of a TCP socket and a pipe: whether it
// takes any.
enum class SendRoom : std::uint8_t { none, part, all };
SendRoom room_to_send(int fd, std::uint64_t bytes);
// Whether a send that does not wait into this full UNIX stream can only fail with EAGAIN. Sends nothing.
bool fails_for_room_only(int fd);

// Bytes waiting in a pipe or socket.
std::uint32_t bytes_waiting(int fd);

// A call on it would not wait: data, a connection, an end of file or an error is there.
bool is_readable(int fd);
// Nothing more can come: the other end is closed, or does not send any more.
bool comes_no_more(int fd);
bool is_non_blocking(int fd);
// A pipe whose writes stay packets (O_DIRECT).
bool keeps_packets(int fd);
// The end of a pipe that is written.
bool is_writable_end(int fd);
// The size of the datagrams that a send over this UDP socket is divided into (UDP_SEGMENT); 0: it is one.
std::uint32_t segment_bytes(int fd);

// SO_RCVTIMEO and SO_SNDTIMEO in nanoseconds; 0 is "no limit".
std::uint64_t receive_timeout_ns(int fd);
std::uint64_t send_timeout_ns(int fd);

// "127.0.0.1:80" from a struct sockaddr as a program passed it.
std::string socket_name(const void* address, std::size_t length);

}  // namespace dpm
