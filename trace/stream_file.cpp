#include "trace/stream_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace dpm {
namespace {

constexpr std::size_t kReadBytes = 4 * kPacketBytesMax;

// A damaged packet costs one checksum in vain, of at most its bytes. A file that consists of beginnings of packets could
// cost one of 64 KiB every 80 bytes: the search ends when the checksums in vain exceed the bytes passed by this factor.
constexpr std::uint64_t kVainFactor = 4;

}  // namespace

std::optional<Packet> read_packet(FileReader& file, std::uint64_t offset, std::span<std::byte> into) {
  Packet packet;
  if (into.size() < sizeof packet.head || !file.go_to(offset) || file.read(into) != into.size()) return std::nullopt;
  std::memcpy(&packet.head, into.data(), sizeof packet.head);
  const bool is_packet = packet.head.magic == kCtfMagic && packet.head.packet_size_bits == into.size() * 8 &&
                         packet.head.content_size_bits == packet.head.packet_size_bits;
  if (!is_packet || checksum_of(into) != packet.head.checksum) return std::nullopt;
  packet.records = into.subspan(sizeof packet.head);
  return packet;
}

Result<StreamFile> StreamFile::open(const std::string& path, std::uint64_t offset) {
  auto file = FileReader::open(path);
  if (!file) return file.error();
  if (offset > 0 && !file->go_to(offset)) return Error{fmt::format("cannot go to byte {} of '{}'", offset, path)};
  StreamFile stream(*std::move(file));
  stream.offset_ = offset;
  return stream;
}

// Whether that number of bytes of the file follows; if so, they are at begin_.
bool StreamFile::have(std::size_t bytes) {
  if (end_ - begin_ >= bytes) return true;
  if (buffer_.empty()) buffer_.resize(kReadBytes);
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  end_ += file_.read(std::span(buffer_).subspan(end_));
  return end_ >= bytes;
}

std::optional<Packet> StreamFile::next(FileEnd end) {
  skip(passed_);
  passed_ = 0;
  while (vain_bytes_ <= kVainFactor * (offset_ + kPacketBytesMax) && have(1)) {
    ends_here_ = false;
    auto packet = packet_here();
    if (packet) {
      in_damage_ = false;
      return *packet;
    }
    if (ends_here_ && end == FileEnd::may_grow) return std::nullopt;
    if (!in_damage_ && ++places_damaged_ == 1)
      first_damage_ = fmt::format("{} at byte {}", packet.error().what, offset_);
    in_damage_ = true;
    skip_to_magic(end);
  }
  return std::nullopt;
}

void StreamFile::skip(std::size_t bytes) {
  begin_ += bytes;
  offset_ += bytes;
}

// To the next place after this one that looks like the beginning of a packet, or to the end of the file, where a part of a
// beginning stays if the file may grow.
void StreamFile::skip_to_magic(FileEnd end) {
  skip(1);
  while (have(sizeof kCtfMagic)) {
    const auto unread = std::span(buffer_).subspan(begin_, end_ - begin_);
    const auto magic = std::as_bytes(std::span(&kCtfMagic, 1));
    const auto found = std::search(unread.begin(), unread.end(), magic.begin(), magic.end());
    const bool is_found = found != unread.end();
    skip(is_found ? static_cast<std::size_t>(found - unread.begin()) : unread.size() - (magic.size() - 1));
    if (is_found) return;
  }
  if (end == FileEnd::final) skip(end_ - begin_);
}

Result<Packet> StreamFile::packet_here() {
  Packet packet;
  ends_here_ = !have(sizeof packet.head);
  if (ends_here_) return Error{"is cut short"};
  std::memcpy(&packet.head, buffer_.data() + begin_, sizeof packet.head);
  const PacketHead& head = packet.head;
  if (head.magic != kCtfMagic) return Error{"has no packet where one should be"};
  const std::uint64_t size = head.packet_size_bits / 8;
  if (head.packet_size_bits % 8 != 0 || head.content_size_bits != head.packet_size_bits || size < sizeof head ||
      size > kPacketBytesMax)
    return Error{"has a packet of an impossible size"};
  ends_here_ = !have(static_cast<std::size_t>(size));
  if (ends_here_) return Error{"is cut short"};
  const auto whole = std::span(buffer_).subspan(begin_, static_cast<std::size_t>(size));
  vain_bytes_ += size;
  if (checksum_of(whole) != head.checksum) return Error{"has a packet with a wrong checksum"};
  if (head.sequence < expected_sequence_) return Error{"repeats a packet"};
  if (first_ && (first_->stream != head.stream || first_->machine != head.machine || first_->filter != head.filter))
    return Error{"has a packet of another stream"};
  vain_bytes_ -= size;
  if (!first_) first_ = head;
  packets_missing_ += head.sequence - expected_sequence_;
  expected_sequence_ = head.sequence + 1;
  passed_ = whole.size();
  packet.records = whole.subspan(sizeof head);
  return packet;
}

std::string StreamFile::damage() const {
  if (places_damaged_ < 2) return first_damage_;
  return fmt::format("{} and is damaged in {} more place{}", first_damage_, places_damaged_ - 1,
                     places_damaged_ == 2 ? "" : "s");
}

}  // namespace dpm
