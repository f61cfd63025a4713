// One stream file, packet by packet. Nothing in the file is trusted: a packet is handed out only if its head is sound,
// all of it is there, and its checksum is right. The first packet that fails ends the stream: what follows cannot be
// placed.
#pragma once

#include <optional>
#include <string>

#include "trace/ctf_packet.hpp"
#include "trace/files.hpp"

namespace dpm {

struct Packet {
  PacketHead head;
  std::span<const std::byte> records;  // without the head
};

class StreamFile {
 public:
  static Result<StreamFile> open(const std::string& path);
  explicit StreamFile(MappedFile file) : file_(std::move(file)) {}

  // The next sound packet, or nothing at the end or at damage.
  std::optional<Packet> next();

  // After next() has returned nothing: empty when the file ended where a packet ends.
  const std::string& damage() const { return damage_; }
  std::uint64_t packets_missing() const { return packets_missing_; }  // gaps in the packets' sequence numbers

 private:
  std::optional<Packet> damaged(const std::string& what);

  MappedFile file_;
  std::size_t offset_ = 0;
  std::uint64_t expected_sequence_ = 0;
  std::uint64_t packets_missing_ = 0;
  std::optional<PacketHead> first_;
  std::string damage_;
};

}  // namespace dpm
