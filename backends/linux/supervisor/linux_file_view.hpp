// The questions of FileView, asked of this machine's kernel.
#pragma once

#include "backends/linux/supervisor/file_view.hpp"

namespace dpm {

class LinuxFileView : public FileView {
 public:
  UniqueFd borrow(int thread_fd, std::int32_t number) override;
  bool may_open_no_more() override;
  DescriptorIdentity identify(int fd, bool probably_socket) override;
  SocketDescription describe_socket(int fd) override;
  bool is_non_blocking(int fd) override;
  std::uint64_t send_timeout_ns(int fd) override;
  bool keeps_packets(int fd) override;
  bool is_writable_end(int fd) override;
  std::uint32_t segment_bytes(int fd) override;
  bool is_readable(int fd) override;
  bool comes_no_more(int fd) override;
  std::uint32_t bytes_waiting(int fd) override;
  std::uint64_t bytes_of_one_receive(int fd, std::uint64_t room, std::uint64_t waiting) override;
  std::optional<ReceiveState> tcp_receive_state(int fd, std::uint64_t expected, bool may_be_urgent) override;
  std::optional<std::uint64_t> tcp_urgent_offset(int fd) override;
  std::uint64_t tcp_quiet_ns(int fd) override;
  DatagramQueue look_at_datagrams(int fd) override;
  std::vector<WaitingDatagram> datagrams_behind(int fd, const WaitingDatagram& first, std::size_t most) override;
  bool merges_datagrams(int fd) override;
  std::optional<DatagramMemory> datagram_memory(int fd) override;
  std::uint32_t connections_waiting(int listener) override;
  std::uint64_t receive_timeout_ns(int fd) override;
  std::optional<EventCounter> read_event_counter(int fd) override;
  std::optional<SendState> tcp_send_state(int fd, bool syn_counted, std::uint64_t expected) override;
  bool cannot_send(int fd) override;
  std::uint64_t memory_not_received(int fd) override;
  std::optional<std::uint64_t> bytes_waiting_at(std::uint64_t inode) override;
  SendRoom room_to_send(int fd, std::uint64_t bytes) override;
  bool fails_for_room_only(int fd) override;
  bool refuses_datagram(int fd, const SocketDescription& socket, std::uint64_t bytes) override;
  std::uint64_t bytes_left_in_file(int fd, std::optional<std::int64_t> given) override;
  std::optional<std::int64_t> place_in_file(int fd) override;
  bool can_move(int source, int destination) override;
};

}  // namespace dpm
