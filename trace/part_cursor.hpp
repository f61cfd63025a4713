// Reads the packets of one stream that have any events of some processes, in a stretch of time, as the index says.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "trace/packet_decoder.hpp"
#include "trace/packet_index.hpp"
#include "trace/stream_file.hpp"
#include "trace/trace_reader.hpp"

namespace dpm {

class PartCursor {
 public:
  // All but `path` must outlive it.
  PartCursor(const IndexedStream& stream, const std::string& path, PacketDecoder& decoder,
             const std::function<bool(ProcessId)>& has, TimeSpan times)
      : stream_(stream), decoder_(decoder), has_(has), times_(times), buffer_(kPacketBytesMax) {
    auto file = FileReader::open(path);
    if (file && file->bytes() == stream.bytes) file_.emplace(*std::move(file));
  }

  // Calls take(event, is_in_time) for the records of these processes in the next packet. False: the stream has ended, or a packet
  // is not what the index says.
  template <typename Take>
  bool read_packet(Take&& take) {
    while (is_well() && at_ < stream_.packets.size()) {
      const IndexedPacket& indexed = stream_.packets[at_++];
      std::uint64_t expected = 0;
      for (const ProcessRecords& of_process : stream_.of(indexed))
        expected += has_(of_process.process) ? of_process.records : 0;
      const bool is_in_time = times_.from <= indexed.last_time && indexed.first_time <= times_.to;
      if (expected == 0 || !is_in_time) continue;
      if (!read_indexed(indexed, expected, take)) file_.reset();
      return is_well();
    }
    return false;
  }

  double part_read() const {
    return static_cast<double>(at_) / static_cast<double>(std::max<std::size_t>(stream_.packets.size(), 1));
  }
  // False: something was not as the index says.
  bool is_well() const { return file_.has_value(); }

 private:
  template <typename Take>
  bool read_indexed(const IndexedPacket& indexed, std::uint64_t expected, Take&& take) {
    if (indexed.bytes > buffer_.size()) return false;
    const auto packet = dpm::read_packet(*file_, indexed.offset, std::span(buffer_).first(indexed.bytes), unpacker_);
    if (!packet || packet->head.records != indexed.records || !decoder_.can_read(packet->head)) return false;
    StreamOutcome outcome;
    const auto take_it = [&](const Event& event) {
      return take(event, times_.from <= event.local_time && event.local_time <= times_.to);
    };
    return decoder_.read_of(*packet, outcome, has_, take_it) && outcome.records == expected;
  }

  const IndexedStream& stream_;
  PacketDecoder& decoder_;
  const std::function<bool(ProcessId)>& has_;
  TimeSpan times_;
  std::vector<std::byte> buffer_;
  PacketUnpacker unpacker_;
  std::optional<FileReader> file_;
  std::size_t at_ = 0;  // in the index
};

}  // namespace dpm
