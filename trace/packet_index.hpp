// Which packets of a trace have events of which processes, and of which time: what lets a reader leave out packets.
//
// The file `index` in the trace directory (docs/trace-format.md). A recorder writes it when a trace is finished; for a trace
// without one it is made by reading the trace once. It repeats what the packets say, and is never needed: a reader that
// finds that a packet is not what the index says reads the whole trace.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/ids.hpp"
#include "model/result.hpp"
#include "model/time.hpp"

namespace dpm {

inline constexpr const char* kPacketIndexName = "index";

struct ProcessRecords {
  ProcessId process;
  std::uint32_t records = 0;
};

struct IndexedPacket {
  std::uint64_t offset = 0;
  std::uint32_t bytes = 0, records = 0;
  LocalTime first_time, last_time;  // the least and the greatest of its records, by its machine's clock
  std::uint64_t first = 0;          // of its processes in IndexedStream::processes
  std::uint32_t processes = 0;
};

struct IndexedStream {
  std::string file;
  std::uint64_t bytes = 0;  // of the file
  std::vector<IndexedPacket> packets;
  std::vector<ProcessRecords> processes;

  std::span<const ProcessRecords> of(const IndexedPacket& packet) const {
    return std::span(processes).subspan(packet.first, packet.processes);
  }
};

class PacketIndex {
 public:
  void add(IndexedStream stream) { streams_.push_back(std::move(stream)); }
  const IndexedStream* of(const std::string& file) const;
  const std::vector<IndexedStream>& streams() const { return streams_; }
  // By process, of the first `processes`.
  std::vector<std::uint64_t> records_of_processes(std::size_t processes) const;

  std::string to_bytes() const;
  // The error says that it is damaged, and what to do.
  static Result<PacketIndex> from_bytes(const std::string& path, const std::string& bytes);
  // Nothing if the trace has none.
  static Result<std::optional<PacketIndex>> read(const std::string& directory);

 private:
  std::vector<IndexedStream> streams_;
};

// The whole file, of the streams as StreamIndexer has them.
std::string index_bytes(std::span<const std::string> streams);

}  // namespace dpm
