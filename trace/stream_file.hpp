// One stream file, packet by packet. Nothing in the file is trusted: a packet is returned only if its head is sound,
// all of it is there, and its checksum is right. After damage the reader goes on with the next sound packet, which it
// finds by its magic number and size; the packets' sequence numbers say how many are missing between.
//
// The file is read, not mapped: one that becomes shorter meanwhile is a damaged one, and no SIGBUS. One that is still being
// written is read as far as it goes, and later from there.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trace/ctf_packet.hpp"
#include "trace/files.hpp"
#include "trace/packed_packet.hpp"

namespace dpm {

struct Packet {
  PacketHead head;                     // as it is in the file
  std::span<const std::byte> records;  // without the head, unpacked
};

// The packet that should begin at `offset` and be as long as `into`, alone. Nothing if it is not there, or not sound. It is valid
// until `into` or `unpacker` is used again.
std::optional<Packet> read_packet(FileReader& file, std::uint64_t offset, std::span<std::byte> into,
                                  PacketUnpacker& unpacker);

enum class FileEnd : std::uint8_t { final, may_grow };

class StreamFile {
 public:
  // `offset`: where the first packet to be read begins.
  static Result<StreamFile> open(const std::string& path, std::uint64_t offset = 0);
  explicit StreamFile(FileReader file) : file_(std::move(file)) {}

  // The next sound packet, or nothing at the end. It is valid until the next call. The time is linear in the bytes of the
  // file, whatever they are: the search ends early in a file that was made to be costly. `may_grow`: an incomplete
  // packet at the end does not count as damage. A later call returns it.
  std::optional<Packet> next(FileEnd end = FileEnd::final);

  // Where the packet that was handed out last begins.
  std::uint64_t packet_offset() const { return offset_; }

  std::uint64_t bytes() const { return file_.bytes(); }  // of the file, when it was opened

  // Call after next() has returned nothing: empty when the file consists of sound packets.
  std::string damage() const;
  std::uint64_t packets_missing() const { return packets_missing_; }  // gaps in the packets' sequence numbers

 private:
  bool have(std::size_t bytes);
  void skip(std::size_t bytes);
  void skip_to_magic(FileEnd end);
  Result<Packet> packet_here();

  FileReader file_;
  PacketUnpacker unpacker_;
  std::vector<std::byte> buffer_;  // what has been read and not been passed
  std::size_t begin_ = 0, end_ = 0;
  std::size_t passed_ = 0;    // bytes of the packet that was handed out last
  std::uint64_t offset_ = 0;  // of buffer_[begin_] in the file
  std::uint64_t expected_sequence_ = 0;
  std::uint64_t packets_missing_ = 0;
  std::optional<PacketHead> first_;
  bool in_damage_ = false;
  bool ends_here_ = false;  // the last packet_here() would need more bytes than the file has
  std::uint64_t places_damaged_ = 0;
  std::uint64_t vain_bytes_ = 0;  // looked at in what was refused: under checksums, and unpacked
  std::string first_damage_;
};

}  // namespace dpm
