// A packet that zstd has made shorter. docs/trace-format.md is the grammar.
//
//   plain    head (magic C1FC1FC1, size of this packet)                 records
//   packed   head (another magic, size in the file; content: plain size) one zstd frame of the records
//
// Each packet is packed by itself, so that damage costs one packet and a reader of a part unpacks that part only. A packet that would
// not become shorter stays plain: a stream may have both kinds.
//
// Nothing in a packet is trusted: what is unpacked has room for one packet, whatever the head or the frame claims.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "trace/ctf_packet.hpp"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace dpm {

class PacketPacker {
 public:
  PacketPacker();

  // The packed packet, with its sizes and checksum, until the next call. Nothing if it would not be shorter. `plain`: a plain packet
  // whose checksum does not matter.
  std::optional<std::span<const std::byte>> pack(std::span<const std::byte> plain);

 private:
  struct Free {
    void operator()(ZSTD_CCtx_s* zstd) const;
  };
  std::unique_ptr<ZSTD_CCtx_s, Free> zstd_;
  std::vector<std::byte> packed_;
};

// The packet as it is written: `plain` with its head, sizes and checksum, or shorter if there is a packer and it can. `plain` has room
// for the head before the records. Until the next call.
std::span<const std::byte> finished_packet(std::optional<PacketPacker>& packer, std::span<std::byte> plain,
                                           PacketHead& head);

class PacketUnpacker {
 public:
  // The records of a packed packet whose checksum is right, until the next call. Nothing if they are not what the head says.
  std::optional<std::span<const std::byte>> unpack(const PacketHead& head, std::span<const std::byte> frame);

 private:
  struct Free {
    void operator()(ZSTD_DCtx_s* zstd) const;
  };
  std::unique_ptr<ZSTD_DCtx_s, Free> zstd_;  // with the first packed packet
  std::vector<std::byte> records_;
};

}  // namespace dpm
