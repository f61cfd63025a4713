#include "trace/stream_file.hpp"

#include <cstring>

namespace dpm {

Result<StreamFile> StreamFile::open(const std::string& path) {
  auto file = MappedFile::open(path);
  if (!file) return file.error();
  return StreamFile(*std::move(file));
}

std::optional<Packet> StreamFile::next() {
  const auto bytes = file_.bytes();
  if (offset_ == bytes.size()) return std::nullopt;
  Packet packet;
  if (bytes.size() - offset_ < sizeof packet.head) return damaged("is cut short");
  std::memcpy(&packet.head, bytes.data() + offset_, sizeof packet.head);
  const PacketHead& head = packet.head;
  if (head.magic != kCtfMagic) return damaged("has no packet where one should be");
  const std::uint64_t size = head.packet_size_bits / 8;
  if (head.packet_size_bits % 8 != 0 || head.content_size_bits != head.packet_size_bits || size < sizeof head ||
      size > kPacketBytesMax)
    return damaged("has a packet of an impossible size");
  if (size > bytes.size() - offset_) return damaged("is cut short");
  const auto whole = bytes.subspan(offset_, static_cast<std::size_t>(size));
  if (checksum_of(whole) != head.checksum) return damaged("has a packet with a wrong checksum");
  if (head.sequence < expected_sequence_) return damaged("repeats a packet");
  if (first_ && (first_->stream != head.stream || first_->machine != head.machine || first_->filter != head.filter))
    return damaged("has a packet of another stream");
  if (!first_) first_ = head;
  packets_missing_ += head.sequence - expected_sequence_;
  expected_sequence_ = head.sequence + 1;
  offset_ += whole.size();
  packet.records = whole.subspan(sizeof head);
  return packet;
}

std::optional<Packet> StreamFile::damaged(const std::string& what) {
  if (damage_.empty()) damage_ = what + " at byte " + std::to_string(offset_);
  return std::nullopt;
}

}  // namespace dpm
