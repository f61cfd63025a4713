// One stream file, packet by packet. Nothing in the file is trusted: a packet is returned only if its head is sound,
// all of it is there, and its checksum is right. The first packet that fails ends the stream: what follows cannot be
// placed.
//
// The file is read, not mapped: one that becomes shorter meanwhile is a damaged one, and no SIGBUS.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

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

  // The next sound packet, or nothing at the end or at damage. It is valid until the next call.
  std::optional<Packet> next();

  // Call after next() has returned nothing: empty when the file ended where a packet ends.
  const std::string& damage() const { return damage_; }
  std::uint64_t packets_missing() const { return packets_missing_; }  // gaps in the packets' sequence numbers

 private:
  explicit StreamFile(FileReader file) : file_(std::move(file)) {}
  bool have(std::size_t bytes);
  std::optional<Packet> damaged(const std::string& what);

  FileReader file_;
  std::vector<std::byte> buffer_;  // what has been read and not been passed
  std::size_t begin_ = 0, end_ = 0;
  std::size_t passed_ = 0;    // bytes of the packet that was handed out last
  std::uint64_t offset_ = 0;  // of buffer_[begin_] in the file
  std::uint64_t expected_sequence_ = 0;
  std::uint64_t packets_missing_ = 0;
  std::optional<PacketHead> first_;
  std::string damage_;
};

}  // namespace dpm
