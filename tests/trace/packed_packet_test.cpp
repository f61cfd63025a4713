// Packets that zstd has made shorter, and packets that only seem to be.
#include "trace/packed_packet.hpp"

#include <cstring>
#include <string>
#include <vector>

#include "model/random.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

std::vector<std::byte> plain_packet(std::size_t record_bytes, bool is_random) {
  std::vector<std::byte> packet(sizeof(PacketHead) + record_bytes);
  Random random(1);
  for (std::size_t i = sizeof(PacketHead); i < packet.size(); ++i)
    packet[i] = is_random ? static_cast<std::byte>(random.next()) : static_cast<std::byte>(i % 90);
  PacketHead head;
  head.content_size_bits = packet.size() * 8;
  head.sequence = 7;
  head.records = 3;
  seal(packet, head);
  return packet;
}

PacketHead head_of(std::span<const std::byte> packet) {
  PacketHead head;
  std::memcpy(&head, packet.data(), sizeof head);
  return head;
}

std::vector<std::byte> packed(std::span<const std::byte> plain) {
  PacketPacker packer;
  const auto bytes = packer.pack(plain);
  REQUIRE(bytes);
  return {bytes->begin(), bytes->end()};
}

bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

TEST_CASE("packed packet: what was packed is unpacked, whatever its size", "[trace]") {
  PacketUnpacker unpacker;
  for (const std::size_t bytes : {200u, 4000u, 65456u}) {
    const auto plain = plain_packet(bytes, false);
    const auto packet = packed(plain);
    const PacketHead head = head_of(packet);
    INFO(bytes << " bytes of records");
    CHECK(packet.size() < plain.size());
    CHECK(head.magic == kPackedMagic);
    CHECK(head.packet_size_bits == 8 * packet.size());
    CHECK(head.content_size_bits == 8 * plain.size());
    CHECK(head.sequence == 7);
    CHECK(checksum_of(packet) == head.checksum);
    const auto records = unpacker.unpack(head, std::span(packet).subspan(sizeof head));
    REQUIRE(records);
    CHECK(same_bytes(*records, std::span(plain).subspan(sizeof head)));
  }
}

TEST_CASE("packed packet: one that would not be shorter is not packed", "[trace]") {
  PacketPacker packer;
  CHECK_FALSE(packer.pack(plain_packet(65456, true)));
  CHECK_FALSE(packer.pack(plain_packet(1, false)));
  CHECK(packer.pack(plain_packet(65456, false)));
}

TEST_CASE("packed packet: a head or a frame that lies is refused", "[trace]") {
  const auto packet = packed(plain_packet(4000, false));
  const auto frame = std::span(packet).subspan(sizeof(PacketHead));
  PacketUnpacker unpacker;
  const auto with_content = [&](std::uint64_t bits) {
    PacketHead head = head_of(packet);
    head.content_size_bits = bits;
    return unpacker.unpack(head, frame).has_value();
  };
  const std::uint64_t right = head_of(packet).content_size_bits;
  CHECK(with_content(right));
  for (const std::uint64_t wrong : {std::uint64_t{0}, right - 8, right + 8, std::uint64_t{8 * kPacketBytesMax},
                                    std::uint64_t{8 * kPacketBytesMax + 8}, UINT64_MAX, UINT64_MAX / 8 * 8})
    CHECK_FALSE(with_content(wrong));

  for (std::size_t cut = 0; cut < frame.size(); ++cut) CHECK_FALSE(unpacker.unpack(head_of(packet), frame.first(cut)));
  std::vector<std::byte> longer(frame.begin(), frame.end());
  longer.insert(longer.end(), 10, std::byte{'x'});
  CHECK_FALSE(unpacker.unpack(head_of(packet), longer));
  CHECK(with_content(right));
}

TEST_CASE("packed packet: a frame that claims a thousand gigabytes gets room for a packet", "[trace]") {
  // A head of zstd with a window and a content size of 8 bytes each, as the library's format description has them.
  const unsigned char claims[] = {0x28, 0xb5, 0x2f, 0xfd, 0xc0, 0xf7, 0, 0, 0, 0, 0, 1, 0, 0, 0x03, 0, 0x10, 'x'};
  PacketHead head;
  head.magic = kPackedMagic;
  head.content_size_bits = 8 * kPacketBytesMax;
  PacketUnpacker unpacker;
  CHECK_FALSE(unpacker.unpack(head, std::as_bytes(std::span(claims))));
}
