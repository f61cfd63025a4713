#include "backends/linux/supervisor/message_array.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <string_view>

#include "os/kernel/descriptor.hpp"
#include "os/kernel/socket_queue.hpp"
#include "os/kernel/tracee.hpp"

namespace dpm {
namespace {

constexpr std::size_t kNameBytes = sizeof(sockaddr_in6), kDataBytes = 64, kControlBytes = 256;

std::string internet_name(std::span<const std::byte> name) {
  sa_family_t family = AF_UNSPEC;
  if (name.size() >= sizeof family) std::memcpy(&family, name.data(), sizeof family);
  return family == AF_INET || family == AF_INET6 ? socket_name(name.data(), name.size()) : "";
}

}  // namespace

MessageArray::MessageArray(std::uint32_t tid, std::uint64_t address, std::size_t count) : address_(address) {
  std::vector<mmsghdr> headers(std::min(count, kEntriesMax));
  const auto into = std::as_writable_bytes(std::span(headers));
  headers.resize(read_memory(tid, address, into) / sizeof(mmsghdr));
  std::vector<iovec> first_parts(headers.size());
  std::vector<MemoryPart> parts;
  for (std::size_t i = 0; i < headers.size(); ++i)
    if (headers[i].msg_hdr.msg_iovlen > 0)
      parts.push_back({reinterpret_cast<std::uint64_t>(headers[i].msg_hdr.msg_iov),
                       std::as_writable_bytes(std::span(&first_parts[i], 1))});
  read_memory(tid, parts);
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const msghdr& header = headers[i].msg_hdr;
    Room room;
    room.data = reinterpret_cast<std::uint64_t>(first_parts[i].iov_base);
    room.data_bytes = std::min(first_parts[i].iov_len, kDataBytes);
    if (header.msg_iovlen == 1) room.most_bytes = first_parts[i].iov_len;
    room.control = reinterpret_cast<std::uint64_t>(header.msg_control);
    room.control_bytes =
        header.msg_control == nullptr ? 0 : std::min<std::size_t>(header.msg_controllen, kControlBytes);
    room.name = reinterpret_cast<std::uint64_t>(header.msg_name);
    room.name_bytes = header.msg_name == nullptr ? 0 : std::min<std::size_t>(header.msg_namelen, kNameBytes);
    rooms_.push_back(room);
  }
}

bool MessageArray::overlaps(const MessageArray& other) const {
  const auto end = [](const MessageArray& array) { return array.address_ + array.size() * sizeof(mmsghdr); };
  return address_ < end(other) && other.address_ < end(*this);
}

std::vector<MessageEntry> MessageArray::read(std::uint32_t tid) const {
  struct Contents {
    std::array<std::byte, kNameBytes + kDataBytes> bytes = {};
    alignas(cmsghdr) std::array<std::byte, kControlBytes> control = {};
  };
  std::vector<mmsghdr> headers(rooms_.size());
  std::vector<Contents> contents(rooms_.size());
  std::vector<MemoryPart> parts;
  for (std::size_t i = 0; i < rooms_.size(); ++i) {
    const std::span<std::byte> bytes(contents[i].bytes);
    if (rooms_[i].name_bytes > 0) parts.push_back({rooms_[i].name, bytes.first(rooms_[i].name_bytes)});
    if (rooms_[i].data_bytes > 0) parts.push_back({rooms_[i].data, bytes.subspan(kNameBytes, rooms_[i].data_bytes)});
    if (rooms_[i].control_bytes > 0)
      parts.push_back({rooms_[i].control, std::span<std::byte>(contents[i].control).first(rooms_[i].control_bytes)});
  }
  headers.resize(read_memory(tid, address_, std::as_writable_bytes(std::span(headers))) / sizeof(mmsghdr));
  read_memory(tid, parts);
  std::vector<MessageEntry> entries;
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const std::span<const std::byte> bytes(contents[i].bytes);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    MessageEntry entry{headers[i].msg_len, std::hash<std::string_view>{}(text),
                       internet_name(bytes.first(rooms_[i].name_bytes)), headers[i].msg_len <= rooms_[i].most_bytes};
    msghdr filled = {};
    filled.msg_control = contents[i].control.data();
    filled.msg_controllen = std::min<std::size_t>(headers[i].msg_hdr.msg_controllen, rooms_[i].control_bytes);
    entry.part_bytes = merged_part_bytes(filled);
    entry.tells_parts = rooms_[i].control_bytes >= CMSG_SPACE(sizeof(int));
    entries.push_back(std::move(entry));
  }
  return entries;
}

namespace {

// A datagram that is longer than its room is cut.
bool shows(std::span<const MessageEntry> after, std::span<const std::uint64_t> seen) {
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (after[i].length_bytes > seen[i] || (after[i].length_bytes == 0) != (seen[i] == 0)) return false;
  return true;
}

}  // namespace

MessagesTaken messages_taken(std::span<const MessageEntry> before, std::span<const MessageEntry> after,
                             std::span<const std::uint64_t> seen, bool takes_all) {
  const std::size_t count = std::min(before.size(), after.size());
  MessagesTaken taken{.count = seen.size()};
  // A program whose array lies on its stack may have other things there by now.
  const bool is_reused = std::any_of(after.begin(), after.begin() + static_cast<std::ptrdiff_t>(count),
                                     [](const MessageEntry& entry) { return !entry.fits; });
  taken.lengths_are_gone = count < seen.size() || !shows(after, seen) || is_reused;
  if (is_reused) return taken;
  for (std::size_t i = taken.count; i < count; ++i) {
    const bool other_contents = after[i].contents != before[i].contents;
    const bool other_length = after[i].length_bytes != before[i].length_bytes && after[i].length_bytes > 0;
    const bool may_be_equal = takes_all && after[i].length_bytes > 0;
    if (other_contents || (!taken.lengths_are_gone && (other_length || may_be_equal))) taken.count = i + 1;
  }
  // Only a name comes with an empty datagram: a length of 0 is rather one that was cleared.
  if (seen.empty() && taken.count > 0 && after[taken.count - 1].length_bytes == 0) taken.lengths_are_gone = true;
  return taken;
}

}  // namespace dpm
