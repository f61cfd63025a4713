// Notes the packets of one stream as they are written or read. What it keeps has the form of the file, some bytes a packet and
// process; a recorder takes it away before it is long (index_parts.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "trace/ctf_packet.hpp"
#include "trace/packet_index.hpp"
#include "trace/packet_processes.hpp"

namespace dpm {

class StreamIndexer {
 public:
  explicit StreamIndexer(std::string file) : file_(std::move(file)) {}

  // A record of the packet that is being filled.
  void note(ProcessId process, LocalTime time) {
    if (process.is_none()) return;
    first_time_ = std::min(first_time_, time);
    last_time_ = std::max(last_time_, time);
    processes_.note(process);
  }
  void end_packet(const PacketHead& head);
  void forget_packet();

  // A whole packet; of it, the offset and the first of its processes are not used.
  void add(const IndexedPacket& packet, std::span<const ProcessRecords> processes);

  std::size_t kept_bytes() const { return packet_bytes_.size(); }
  // Of the packets since the last time.
  std::string take_kept();
  // For index_bytes(). `taken`: what was taken away, put together.
  std::string bytes(const std::string& taken = {}) const;

 private:
  const std::string file_;
  std::uint64_t packets_ = 0;
  std::string packet_bytes_;
  std::int64_t last_ns_ = 0;                                // of the packet before
  LocalTime first_time_{INT64_MAX}, last_time_{INT64_MIN};  // of the records of the packet that is being filled
  PacketProcesses processes_;
};

}  // namespace dpm
