// The head of a packet of a CTF stream file, and its checksum. docs/trace-format.md is the grammar.
//
// A stream file is a sequence of packets, each written by a single write(2). A packet contains its length, its number
// in the stream and how many records it holds, so that a reader knows what is missing from a truncated or damaged
// file.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace dpm {

static_assert(std::endian::native == std::endian::little,
              "records are copied as they lie in memory, and CTF says 'le'");

inline constexpr std::uint32_t kCtfMagic = 0xC1FC1FC1;
// Of a packet whose records are compressed (packed_packet.hpp). Other readers of CTF refuse it.
inline constexpr std::uint32_t kPackedMagic = 0xC2FC1FC1;
inline bool is_packet_magic(std::uint32_t magic) { return magic == kCtfMagic || magic == kPackedMagic; }

// In the order of the file. magic and stream are CTF's packet header, the rest its packet context.
struct PacketHead {
  std::uint32_t magic = kCtfMagic;
  std::uint32_t stream = 0;  // stream class, one per stream file
  std::uint64_t timestamp_begin = 0;
  std::uint64_t timestamp_end = 0;
  std::uint64_t content_size_bits = 0;
  std::uint64_t packet_size_bits = 0;  // in the file: packets are not padded, so without compression the same
  std::uint64_t events_discarded = 0;  // lost on this stream so far
  std::uint64_t sequence = 0;          // 0, 1, 2, ... in each stream
  std::uint64_t checksum = 0;          // checksum_of(packet)
  std::uint64_t records = 0;
  std::uint32_t machine = 0;
  std::uint32_t filter = 0;
};
static_assert(sizeof(PacketHead) == 80 && std::is_trivially_copyable_v<PacketHead>, "as declared in the metadata");

// CTF event header: u16 class, u64 timestamp.
inline constexpr std::size_t kEventHeadBytes = 10;
inline constexpr std::size_t kPacketBytesMax = 64 * 1024;
inline constexpr std::uint64_t kPacketRecordsMax = 4096;

// 64 bits over the whole packet with its checksum field taken as 0.
std::uint64_t checksum_of(std::span<const std::byte> packet);

// Puts the head before the records, with the size and the checksum of this packet. `head` gets both too.
void seal(std::span<std::byte> packet, PacketHead& head);

}  // namespace dpm
