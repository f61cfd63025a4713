#include "backends/linux/supervisor/linux_file_view.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/kernel/datagram_refusal.hpp"
#include "os/kernel/socket_diagnosis.hpp"
#include "os/kernel/tracee.hpp"

namespace dpm {
namespace {

bool is_pipe(int fd) { return identify(fd).kind == DescriptorIdentity::Kind::pipe; }

}  // namespace

UniqueFd LinuxFileView::borrow(int thread_fd, std::int32_t number) { return borrow_descriptor(thread_fd, number); }

bool LinuxFileView::may_open_no_more() { return !UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

DescriptorIdentity LinuxFileView::identify(int fd, bool probably_socket) { return dpm::identify(fd, probably_socket); }

SocketDescription LinuxFileView::describe_socket(int fd) { return dpm::describe_socket(fd); }

bool LinuxFileView::is_non_blocking(int fd) { return dpm::is_non_blocking(fd); }

bool LinuxFileView::keeps_packets(int fd) { return dpm::keeps_packets(fd); }

bool LinuxFileView::is_writable_end(int fd) { return dpm::is_writable_end(fd); }

std::uint32_t LinuxFileView::segment_bytes(int fd) { return dpm::segment_bytes(fd); }

bool LinuxFileView::is_readable(int fd) { return dpm::is_readable(fd); }

bool LinuxFileView::comes_no_more(int fd) { return dpm::comes_no_more(fd); }

std::uint32_t LinuxFileView::bytes_waiting(int fd) { return dpm::bytes_waiting(fd); }

std::uint64_t LinuxFileView::bytes_of_one_receive(int fd, std::uint64_t room, std::uint64_t waiting) {
  return dpm::bytes_of_one_receive(fd, room, waiting);
}

std::optional<ReceiveState> LinuxFileView::tcp_receive_state(int fd, std::uint64_t expected, bool may_be_urgent) {
  return dpm::tcp_receive_state(fd, expected, may_be_urgent);
}

std::optional<std::uint64_t> LinuxFileView::tcp_urgent_offset(int fd) { return dpm::tcp_urgent_offset(fd); }

std::uint64_t LinuxFileView::tcp_quiet_ns(int fd) { return dpm::tcp_quiet_ns(fd); }

DatagramQueue LinuxFileView::look_at_datagrams(int fd) { return dpm::look_at_datagrams(fd); }

std::vector<WaitingDatagram> LinuxFileView::datagrams_behind(int fd, const WaitingDatagram& first, std::size_t most) {
  return dpm::datagrams_behind(fd, first, most);
}

bool LinuxFileView::merges_datagrams(int fd) { return dpm::merges_datagrams(fd); }

std::optional<DatagramMemory> LinuxFileView::datagram_memory(int fd) { return dpm::datagram_memory(fd); }

std::uint32_t LinuxFileView::connections_waiting(int listener) { return dpm::connections_waiting(listener); }

std::uint64_t LinuxFileView::receive_timeout_ns(int fd) { return dpm::receive_timeout_ns(fd); }

std::optional<EventCounter> LinuxFileView::read_event_counter(int fd) { return dpm::read_event_counter(fd); }

std::optional<SendState> LinuxFileView::tcp_send_state(int fd, bool syn_counted, std::uint64_t expected) {
  return dpm::tcp_send_state(fd, syn_counted, expected);
}

std::uint64_t LinuxFileView::send_timeout_ns(int fd) { return dpm::send_timeout_ns(fd); }

bool LinuxFileView::cannot_send(int fd) { return dpm::cannot_send(fd); }

std::uint64_t LinuxFileView::memory_not_received(int fd) { return dpm::memory_not_received(fd); }

std::optional<std::uint64_t> LinuxFileView::bytes_waiting_at(std::uint64_t inode) { return unix_bytes_waiting(inode); }

SendRoom LinuxFileView::room_to_send(int fd, std::uint64_t bytes) { return dpm::room_to_send(fd, bytes); }

bool LinuxFileView::fails_for_room_only(int fd) { return dpm::fails_for_room_only(fd); }

bool LinuxFileView::refuses_datagram(int fd, const SocketDescription& socket, std::uint64_t bytes) {
  return dpm::refuses_datagram(fd, socket, bytes);
}

std::uint64_t LinuxFileView::bytes_left_in_file(int fd, std::optional<std::int64_t> given) {
  struct stat status = {};
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return UINT64_MAX;
  const std::int64_t offset = given ? *given : ::lseek(fd, 0, SEEK_CUR);
  return status.st_size > offset ? static_cast<std::uint64_t>(status.st_size - offset) : 0;
}

std::optional<std::int64_t> LinuxFileView::place_in_file(int fd) {
  const std::int64_t place = ::lseek(fd, 0, SEEK_CUR);
  return place < 0 ? std::nullopt : std::optional(place);
}

bool LinuxFileView::can_move(int source, int destination) {
  if (!is_pipe(source) && !is_pipe(destination)) return false;
  const int from = ::fcntl(source, F_GETFL), to = ::fcntl(destination, F_GETFL);
  return from >= 0 && to >= 0 && (from & O_ACCMODE) != O_WRONLY && (to & O_ACCMODE) != O_RDONLY &&
         (to & O_APPEND) == 0 && dpm::identify(source) != dpm::identify(destination);
}

}  // namespace dpm
