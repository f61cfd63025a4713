#include "trace/ctf_packet.hpp"

#include <cstring>

#include "model/check.hpp"

namespace dpm {
namespace {

constexpr std::uint64_t kPrime = 0x9e3779b97f4a7c15ull;

std::uint64_t mix(std::uint64_t hash, std::uint64_t word) { return std::rotl((hash ^ word) * kPrime, 29); }

}  // namespace

// Four independent lanes, because one chain of multiplications would cost more than reading the events.
std::uint64_t checksum_of(std::span<const std::byte> packet) {
  DPM_CHECK(packet.size() >= sizeof(PacketHead));
  PacketHead head;
  std::memcpy(&head, packet.data(), sizeof head);
  head.checksum = 0;
  std::uint64_t words[sizeof head / 8];
  std::memcpy(words, &head, sizeof head);
  std::uint64_t lane[4] = {1, 2, 3, 4};
  for (std::size_t i = 0; i < std::size(words); ++i) lane[i % 4] = mix(lane[i % 4], words[i]);

  const std::byte* at = packet.data() + sizeof head;
  std::size_t left = packet.size() - sizeof head;
  for (; left >= 32; at += 32, left -= 32) {
    std::uint64_t block[4];
    std::memcpy(block, at, sizeof block);
    for (int i = 0; i < 4; ++i) lane[i] = mix(lane[i], block[i]);
  }
  for (; left > 0; at += 1, left -= 1) lane[left % 4] = mix(lane[left % 4], static_cast<std::uint64_t>(*at));
  std::uint64_t hash = packet.size();
  for (const auto value : lane) hash = mix(hash, value);
  return hash;
}

void seal(std::span<std::byte> packet, PacketHead& head) {
  DPM_CHECK(packet.size() >= sizeof head);
  head.packet_size_bits = packet.size() * 8;
  head.checksum = 0;
  std::memcpy(packet.data(), &head, sizeof head);
  head.checksum = checksum_of(packet);
  std::memcpy(packet.data(), &head, sizeof head);
}

}  // namespace dpm
