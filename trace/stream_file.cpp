#include "trace/stream_file.hpp"

#include <fmt/format.h>

#include <cstring>

namespace dpm {
namespace {

constexpr std::size_t kReadBytes = 4 * kPacketBytesMax;

}  // namespace

Result<StreamFile> StreamFile::open(const std::string& path) {
  auto file = FileReader::open(path);
  if (!file) return file.error();
  return StreamFile(*std::move(file));
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

std::optional<Packet> StreamFile::next() {
  begin_ += passed_;
  offset_ += passed_;
  passed_ = 0;
  if (!have(1)) return std::nullopt;
  Packet packet;
  if (!have(sizeof packet.head)) return damaged("is cut short");
  std::memcpy(&packet.head, buffer_.data() + begin_, sizeof packet.head);
  const PacketHead& head = packet.head;
  if (head.magic != kCtfMagic) return damaged("has no packet where one should be");
  const std::uint64_t size = head.packet_size_bits / 8;
  if (head.packet_size_bits % 8 != 0 || head.content_size_bits != head.packet_size_bits || size < sizeof head ||
      size > kPacketBytesMax)
    return damaged("has a packet of an impossible size");
  if (!have(static_cast<std::size_t>(size))) return damaged("is cut short");
  const auto whole = std::span(buffer_).subspan(begin_, static_cast<std::size_t>(size));
  if (checksum_of(whole) != head.checksum) return damaged("has a packet with a wrong checksum");
  if (head.sequence < expected_sequence_) return damaged("repeats a packet");
  if (first_ && (first_->stream != head.stream || first_->machine != head.machine || first_->filter != head.filter))
    return damaged("has a packet of another stream");
  if (!first_) first_ = head;
  packets_missing_ += head.sequence - expected_sequence_;
  expected_sequence_ = head.sequence + 1;
  passed_ = whole.size();
  packet.records = whole.subspan(sizeof head);
  return packet;
}

std::optional<Packet> StreamFile::damaged(const std::string& what) {
  if (damage_.empty()) damage_ = fmt::format("{} at byte {}", what, offset_);
  return std::nullopt;
}

}  // namespace dpm
