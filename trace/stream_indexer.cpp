#include "trace/stream_indexer.hpp"

#include "trace/index_numbers.hpp"

namespace dpm {

using index_numbers::difference;
using index_numbers::folded;
using index_numbers::put;

void StreamIndexer::end_packet(const PacketHead& head) {
  IndexedPacket packet;
  packet.bytes = static_cast<std::uint32_t>(head.packet_size_bits / 8);
  packet.records = static_cast<std::uint32_t>(head.records);
  packet.first_time = first_time_;
  packet.last_time = last_time_;
  add(packet, processes_.records());
  forget_packet();
}

void StreamIndexer::forget_packet() {
  processes_.clear();
  first_time_ = {INT64_MAX};
  last_time_ = {INT64_MIN};
}

void StreamIndexer::add(const IndexedPacket& packet, std::span<const ProcessRecords> processes) {
  ++packets_;
  put(packet_bytes_, packet.bytes);
  put(packet_bytes_, packet.records);
  put(packet_bytes_, folded(difference(packet.first_time.ns, last_ns_)));
  put(packet_bytes_, folded(difference(packet.last_time.ns, packet.first_time.ns)));
  last_ns_ = packet.last_time.ns;
  put(packet_bytes_, processes.size());
  std::uint32_t last = 0;
  for (const ProcessRecords& of_process : processes) {
    put(packet_bytes_, folded(std::int64_t{of_process.process.value} - std::int64_t{last}));
    put(packet_bytes_, of_process.records);
    last = of_process.process.value;
  }
}

std::string StreamIndexer::bytes() const {
  std::string out;
  put(out, file_.size());
  out += file_;
  put(out, packets_);
  return out + packet_bytes_;
}

}  // namespace dpm
