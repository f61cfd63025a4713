#include "backends/linux/supervisor/call_arguments.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "os/kernel/descriptor.hpp"
#include "os/kernel/socket_queue.hpp"
#include "os/kernel/tracee.hpp"

namespace dpm {
namespace {

constexpr std::size_t kPartsMax = 1024;  // UIO_MAXIOV, which the kernel enforces too

template <typename T>
bool read_object(std::uint32_t tid, std::uint64_t address, T& object) {
  return read_memory(tid, address, std::as_writable_bytes(std::span(&object, 1))) == sizeof object;
}

std::uint64_t vector_bytes(std::uint32_t tid, std::uint64_t address, std::uint64_t count) {
  std::array<iovec, 16> part;
  std::uint64_t bytes = 0;
  for (std::uint64_t done = 0; done < std::min<std::uint64_t>(count, kPartsMax); done += part.size()) {
    const std::size_t wanted = std::min<std::uint64_t>(part.size(), count - done);
    const auto into = std::as_writable_bytes(std::span(part.data(), wanted));
    const std::size_t read = read_memory(tid, address + done * sizeof(iovec), into) / sizeof(iovec);
    for (std::size_t i = 0; i < read; ++i) bytes += part[i].iov_len;
    if (read < wanted) break;
  }
  return bytes;
}

std::uint64_t message_bytes(std::uint32_t tid, const msghdr& header) {
  return vector_bytes(tid, reinterpret_cast<std::uint64_t>(header.msg_iov), header.msg_iovlen);
}

// The address of an array of iovec, and its length.
using Vector = std::pair<std::uint64_t, std::uint64_t>;

Vector vector_of(const msghdr& header) { return {reinterpret_cast<std::uint64_t>(header.msg_iov), header.msg_iovlen}; }

std::optional<Vector> given_vector(const Notification& notification, const MeteredCall& call, std::size_t place) {
  const auto& arguments = notification.arguments;
  if (call.length == LengthForm::vector) return Vector{arguments[1], arguments[2]};
  if (call.length == LengthForm::message) {
    msghdr header = {};
    return read_object(notification.tid, arguments[1], header) ? std::optional(vector_of(header)) : std::nullopt;
  }
  mmsghdr header = {};
  const bool is_read = call.length == LengthForm::messages &&
                       read_object(notification.tid, arguments[1] + place * sizeof(mmsghdr), header);
  return is_read ? std::optional(vector_of(header.msg_hdr)) : std::nullopt;
}

std::string name_at(std::uint32_t tid, std::uint64_t address, std::uint64_t length) {
  std::array<std::byte, sizeof(sockaddr_storage)> name;
  const std::size_t wanted = std::min<std::uint64_t>(length, name.size());
  if (address == 0 || wanted == 0) return "";
  const std::size_t read = read_memory(tid, address, std::span(name.data(), wanted));
  return socket_name(name.data(), read);
}

// The size of the datagrams that the kernel is to divide the message into (UDP_SEGMENT); 0: none is given with it.
std::uint64_t segment_of(std::uint32_t tid, msghdr header) {
  constexpr int kUdpSegment = 103;
  constexpr std::size_t kControlMax = 1024;
  if (header.msg_controllen == 0) return 0;
  alignas(cmsghdr) std::array<std::byte, kControlMax> control;
  const std::span<std::byte> part(control.data(), std::min<std::size_t>(header.msg_controllen, control.size()));
  header.msg_controllen = read_memory(tid, reinterpret_cast<std::uint64_t>(header.msg_control), part);
  header.msg_control = control.data();
  for (cmsghdr* at = CMSG_FIRSTHDR(&header); at != nullptr; at = CMSG_NXTHDR(&header, at)) {
    std::uint16_t segment = 0;
    if (at->cmsg_level != IPPROTO_UDP || at->cmsg_type != kUdpSegment || at->cmsg_len < CMSG_LEN(sizeof segment))
      continue;
    std::memcpy(&segment, CMSG_DATA(at), sizeof segment);
    return segment;
  }
  return 0;
}

GivenMessage given_by(std::uint32_t tid, const msghdr& header) {
  return {message_bytes(tid, header),
          name_at(tid, reinterpret_cast<std::uint64_t>(header.msg_name), header.msg_namelen), segment_of(tid, header)};
}

bool is_own_memory(std::uint64_t address, std::uint64_t bytes) {
  constexpr std::uint64_t kOwnMemoryEnd = (1ull << 47) - 4096;
  return bytes <= kOwnMemoryEnd && address <= kOwnMemoryEnd - bytes;
}

bool is_valid_vector(std::uint32_t tid, std::uint64_t address, std::uint64_t count) {
  if (count > kPartsMax) return false;
  std::vector<iovec> parts(count);
  const auto into = std::as_writable_bytes(std::span(parts));
  return read_memory(tid, address, into) == into.size() &&
         std::all_of(parts.begin(), parts.end(), [](const iovec& part) {
           return is_own_memory(reinterpret_cast<std::uint64_t>(part.iov_base), part.iov_len);
         });
}

bool is_valid_message(std::uint32_t tid, std::uint64_t address) {
  msghdr header = {};
  return read_object(tid, address, header) && static_cast<int>(header.msg_namelen) >= 0 &&
         is_valid_vector(tid, reinterpret_cast<std::uint64_t>(header.msg_iov), header.msg_iovlen);
}

// Names no receiver and has no control data.
bool is_plain_send(const Notification& notification, const MeteredCall& call) {
  if (call.address >= 0) return notification.arguments[static_cast<std::size_t>(call.address)] == 0;
  msghdr header = {};
  return call.length == LengthForm::message && read_object(notification.tid, notification.arguments[1], header) &&
         header.msg_name == nullptr && header.msg_controllen == 0;
}

// Of accept() and accept4().
bool has_known_flags(const Notification& notification) {
  return notification.call != SYS_accept4 ||
         (static_cast<int>(notification.arguments[3]) & ~(SOCK_CLOEXEC | SOCK_NONBLOCK)) == 0;
}

// splice(in, in_offset, out, out_offset, length, flags), in a pipe or socket; tee(in, out, length, flags).
bool is_valid_splice(const Notification& notification) {
  constexpr std::uint64_t kKnownFlags = SPLICE_F_MOVE | SPLICE_F_NONBLOCK | SPLICE_F_MORE | SPLICE_F_GIFT;
  const auto& arguments = notification.arguments;
  if (notification.call == SYS_tee) return arguments[2] > 0 && (arguments[3] & ~kKnownFlags) == 0;
  return arguments[1] == 0 && arguments[4] > 0 && (arguments[5] & ~kKnownFlags) == 0;
}

bool has_known_rw_flags(const Notification& notification, const MeteredCall& call) {
  return call.rw_flags < 0 ||
         (notification.arguments[static_cast<std::size_t>(call.rw_flags)] & ~std::uint64_t{RWF_NOWAIT}) == 0;
}

// Whether the kernel takes these arguments, and goes on to look for data.
bool are_accepted(const Notification& notification, const MeteredCall& call) {
  const auto& arguments = notification.arguments;
  if (call.family == CallFamily::accept) return has_known_flags(notification);
  // sendfile() takes nothing from a pipe or socket.
  if (call.family == CallFamily::transfer || call.family == CallFamily::copy)
    return notification.call != SYS_sendfile && is_valid_splice(notification);
  switch (call.length) {
    case LengthForm::argument:
      return is_own_memory(arguments[1], arguments[static_cast<std::size_t>(call.byte_count)]);
    case LengthForm::vector:
      return has_known_rw_flags(notification, call) && is_valid_vector(notification.tid, arguments[1], arguments[2]);
    case LengthForm::message:
      return is_valid_message(notification.tid, arguments[1]);
    case LengthForm::messages:
      return arguments[2] > 0 && arguments[4] == 0 && is_valid_message(notification.tid, arguments[1]);
    default:
      return false;
  }
}

}  // namespace

std::uint64_t asked_bytes(const Notification& notification, const MeteredCall& call) {
  const auto& arguments = notification.arguments;
  switch (call.length) {
    case LengthForm::argument:
    case LengthForm::to_socket:
      return arguments[static_cast<std::size_t>(call.byte_count)];
    case LengthForm::vector:
      return vector_bytes(notification.tid, arguments[1], arguments[2]);
    case LengthForm::message: {
      msghdr header = {};
      return read_object(notification.tid, arguments[1], header) ? message_bytes(notification.tid, header) : 0;
    }
    case LengthForm::messages: {
      std::uint64_t bytes = 0;
      for (const auto& message : given_messages(notification, call)) bytes += message.bytes;
      return bytes;
    }
    case LengthForm::none:
      return 0;
  }
  return 0;
}

GivenMessage given_message(const Notification& notification, const MeteredCall& call) {
  if (call.length == LengthForm::message) {
    msghdr header = {};
    return read_object(notification.tid, notification.arguments[1], header) ? given_by(notification.tid, header)
                                                                            : GivenMessage{};
  }
  GivenMessage message{.bytes = asked_bytes(notification, call)};
  if (call.address >= 0) {
    const auto at = static_cast<std::size_t>(call.address);
    message.receiver = name_at(notification.tid, notification.arguments[at], notification.arguments[at + 1]);
  }
  return message;
}

std::vector<GivenMessage> given_messages(const Notification& notification, const MeteredCall& call) {
  std::vector<GivenMessage> messages;
  if (call.length != LengthForm::messages) return messages;
  const std::uint64_t count = std::min<std::uint64_t>(notification.arguments[2], kPartsMax);
  for (std::uint64_t i = 0; i < count; ++i) {
    mmsghdr header = {};
    if (!read_object(notification.tid, notification.arguments[1] + i * sizeof(mmsghdr), header)) break;
    messages.push_back(given_by(notification.tid, header.msg_hdr));
  }
  return messages;
}

std::uint64_t given_beginning(const Notification& notification, const MeteredCall& call, std::size_t place) {
  constexpr std::size_t kPartsLookedAt = 16;
  std::array<char, kBeginningBytes> bytes;
  std::size_t filled = 0;
  const auto take = [&](std::uint64_t address, std::uint64_t length) {
    const std::span<char> room(bytes.data() + filled, std::min<std::uint64_t>(length, bytes.size() - filled));
    const std::size_t read = read_memory(notification.tid, address, std::as_writable_bytes(room));
    filled += read;
    return read == room.size();
  };
  if (call.length == LengthForm::argument) {
    const std::uint64_t length = notification.arguments[static_cast<std::size_t>(call.byte_count)];
    return take(notification.arguments[1], length) ? beginning_of({bytes.data(), filled}) : 0;
  }
  const auto vector = given_vector(notification, call, place);
  if (!vector) return 0;
  std::array<iovec, kPartsLookedAt> parts;
  const auto [address, count] = *vector;
  const std::span<iovec> wanted(parts.data(), std::min<std::uint64_t>(count, parts.size()));
  const auto into = std::as_writable_bytes(wanted);
  if (read_memory(notification.tid, address, into) != into.size()) return 0;
  for (const iovec& part : wanted)
    if (!take(reinterpret_cast<std::uint64_t>(part.iov_base), part.iov_len)) return 0;
  const bool is_all = count <= parts.size() || filled == bytes.size();
  return is_all ? beginning_of({bytes.data(), filled}) : 0;
}

bool names_position(const Notification& notification, const MeteredCall& call) {
  return call.position >= 0 &&
         static_cast<std::int64_t>(notification.arguments[static_cast<std::size_t>(call.position)]) != -1;
}

bool may_be_held(const Notification& notification, const MeteredCall& call) { return are_accepted(notification, call); }

bool can_only_be_eagain(const Notification& notification, const MeteredCall& call) {
  constexpr std::uint64_t kBytesMax = 0x7fff'ffff;
  constexpr int kKnownFlags = MSG_DONTWAIT | MSG_WAITALL | MSG_TRUNC | MSG_NOSIGNAL | MSG_CMSG_CLOEXEC | MSG_WAITFORONE;
  constexpr int kSendFlags = MSG_DONTWAIT | MSG_NOSIGNAL | MSG_MORE;
  if (!are_accepted(notification, call)) return false;
  if (call.family == CallFamily::accept) return true;
  if (call.family == CallFamily::send && !is_plain_send(notification, call)) return false;
  if (call.family != CallFamily::receive && call.family != CallFamily::send) return false;
  const auto flags = call.flags < 0 ? 0 : notification.arguments[static_cast<std::size_t>(call.flags)];
  const int known = call.family == CallFamily::send ? kSendFlags : kKnownFlags;
  if ((static_cast<int>(flags) & ~known) != 0) return false;
  if (call.length == LengthForm::messages) return true;
  const std::uint64_t asked = asked_bytes(notification, call);
  return asked > 0 && asked <= kBytesMax;
}

}  // namespace dpm
