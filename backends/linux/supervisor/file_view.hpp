// What the supervisor asks the kernel about open files of metered processes: an interface, so that a test can answer
// from a script. os/kernel/descriptor.hpp and os/kernel/socket_queue.hpp describe each question. All of them work on a
// borrowed duplicate, and change nothing about the open file.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "os/kernel/descriptor.hpp"
#include "os/kernel/socket_queue.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

class FileView {
 public:
  virtual ~FileView() = default;

  // Empty, with errno, if the thread has no such descriptor or the meter may open no more.
  virtual UniqueFd borrow(int thread_fd, std::int32_t number) = 0;
  virtual bool may_open_no_more() = 0;

  virtual DescriptorIdentity identify(int fd, bool probably_socket = true) = 0;
  virtual SocketDescription describe_socket(int fd) = 0;
  virtual bool is_non_blocking(int fd) = 0;
  virtual std::uint32_t segment_bytes(int fd) = 0;
  virtual bool is_writable_end(int fd) = 0;
  virtual bool keeps_packets(int fd) = 0;

  // ---- to be received
  virtual bool is_readable(int fd) = 0;
  virtual bool comes_no_more(int fd) = 0;
  virtual std::uint32_t bytes_waiting(int fd) = 0;
  virtual std::uint64_t bytes_of_one_receive(int fd, std::uint64_t room, std::uint64_t waiting) = 0;
  virtual std::optional<ReceiveState> tcp_receive_state(int fd, std::uint64_t expected, bool may_be_urgent) = 0;
  virtual std::optional<std::uint64_t> tcp_urgent_offset(int fd) = 0;
  virtual std::uint64_t tcp_quiet_ns(int fd) = 0;
  virtual DatagramQueue look_at_datagrams(int fd) = 0;
  virtual std::vector<WaitingDatagram> datagrams_behind(int fd, const WaitingDatagram& first, std::size_t most) = 0;
  virtual bool merges_datagrams(int fd) = 0;
  virtual std::optional<DatagramMemory> datagram_memory(int fd) = 0;
  virtual std::uint32_t connections_waiting(int listener) = 0;
  virtual std::uint64_t receive_timeout_ns(int fd) = 0;
  virtual std::optional<EventCounter> read_event_counter(int fd) = 0;

  // ---- to be sent
  virtual std::optional<SendState> tcp_send_state(int fd, bool syn_counted, std::uint64_t expected) = 0;
  virtual std::uint64_t send_timeout_ns(int fd) = 0;
  virtual bool cannot_send(int fd) = 0;
  virtual std::uint64_t memory_not_received(int fd) = 0;
  // The bytes that wait at a UNIX stream's socket, if the kernel tells.
  virtual std::optional<std::uint64_t> bytes_waiting_at(std::uint64_t inode) = 0;
  virtual SendRoom room_to_send(int fd, std::uint64_t bytes) = 0;
  virtual bool fails_for_room_only(int fd) = 0;
  virtual bool refuses_datagram(int fd, const SocketDescription& socket, std::uint64_t bytes) = 0;

  // ---- to be moved from one to another
  // The bytes left in a file from its own offset, or from `given`. The maximum if that cannot be known.
  virtual std::uint64_t bytes_left_in_file(int fd, std::optional<std::int64_t> given) = 0;
  // Where the next read of a file begins; nothing if it has no such place.
  virtual std::optional<std::int64_t> place_in_file(int fd) = 0;
  // Whether splice() can move data between these: one is a pipe, they are not the same, `source` can be read and
  // `destination` written.
  virtual bool can_move(int source, int destination) = 0;
};

}  // namespace dpm
