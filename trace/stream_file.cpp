#include "trace/stream_file.hpp"

#include <fmt/format.h>

#include <cstring>

namespace dpm {
namespace {

constexpr std::size_t kReadBytes = 4 * kPacketBytesMax;

// A damaged packet costs one checksum in vain, of at most its bytes. A file that consists of beginnings of packets could
// cost one of 64 KiB every 80 bytes: the search ends when the checksums in vain exceed the bytes passed by this factor.
constexpr std::uint64_t kVainFactor = 4;

constexpr std::size_t kMagicBytes = sizeof kCtfMagic;

bool is_magic(const std::byte* at) {
  std::uint32_t magic = 0;
  std::memcpy(&magic, at, sizeof magic);
  return is_packet_magic(magic);
}

bool has_possible_sizes(const PacketHead& head) {
  const bool is_plain = head.magic == kCtfMagic;
  const std::uint64_t size = head.packet_size_bits / 8;
  return is_packet_magic(head.magic) && head.packet_size_bits % 8 == 0 && head.content_size_bits % 8 == 0 &&
         (!is_plain || head.content_size_bits == head.packet_size_bits) && size >= sizeof head &&
         size <= kPacketBytesMax;
}

std::optional<std::span<const std::byte>> records_of(const PacketHead& head, std::span<const std::byte> packet,
                                                     PacketUnpacker& unpacker) {
  const auto content = packet.subspan(sizeof head);
  if (head.magic == kPackedMagic) return unpacker.unpack(head, content);
  return content;
}

}  // namespace

std::optional<Packet> read_packet(FileReader& file, std::uint64_t offset, std::span<std::byte> into,
                                  PacketUnpacker& unpacker) {
  Packet packet;
  if (into.size() < sizeof packet.head || !file.go_to(offset) || file.read(into) != into.size()) return std::nullopt;
  std::memcpy(&packet.head, into.data(), sizeof packet.head);
  const bool is_packet = has_possible_sizes(packet.head) && packet.head.packet_size_bits == into.size() * 8;
  if (!is_packet || checksum_of(into) != packet.head.checksum) return std::nullopt;
  const auto records = records_of(packet.head, into, unpacker);
  if (!records) return std::nullopt;
  packet.records = *records;
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
  while (have(kMagicBytes)) {
    const std::size_t places = end_ - begin_ - (kMagicBytes - 1);
    std::size_t place = 0;
    while (place < places && !is_magic(buffer_.data() + begin_ + place)) ++place;
    skip(place);
    if (place < places) return;
  }
  if (end == FileEnd::final) skip(end_ - begin_);
}

Result<Packet> StreamFile::packet_here() {
  Packet packet;
  ends_here_ = !have(sizeof packet.head);
  if (ends_here_) return Error{"is cut short"};
  std::memcpy(&packet.head, buffer_.data() + begin_, sizeof packet.head);
  const PacketHead& head = packet.head;
  if (!is_packet_magic(head.magic)) return Error{"has no packet where one should be"};
  if (!has_possible_sizes(head)) return Error{"has a packet of an impossible size"};
  const std::uint64_t size = head.packet_size_bits / 8;
  ends_here_ = !have(static_cast<std::size_t>(size));
  if (ends_here_) return Error{"is cut short"};
  const auto whole = std::span(buffer_).subspan(begin_, static_cast<std::size_t>(size));
  vain_bytes_ += size;
  if (checksum_of(whole) != head.checksum) return Error{"has a packet with a wrong checksum"};
  if (head.sequence < expected_sequence_) return Error{"repeats a packet"};
  if (first_ && (first_->stream != head.stream || first_->machine != head.machine || first_->filter != head.filter))
    return Error{"has a packet of another stream"};
  const auto records = records_of(head, whole, unpacker_);
  if (!records) {
    vain_bytes_ += kPacketBytesMax;
    return Error{"has a packet that cannot be unpacked"};
  }
  vain_bytes_ -= size;
  if (!first_) first_ = head;
  packets_missing_ += head.sequence - expected_sequence_;
  expected_sequence_ = head.sequence + 1;
  passed_ = whole.size();
  packet.records = *records;
  return packet;
}

std::string StreamFile::damage() const {
  if (places_damaged_ < 2) return first_damage_;
  return fmt::format("{} and is damaged in {} more place{}", first_damage_, places_damaged_ - 1,
                     places_damaged_ == 2 ? "" : "s");
}

}  // namespace dpm
