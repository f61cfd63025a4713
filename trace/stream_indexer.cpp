#include "trace/stream_indexer.hpp"

#include <utility>

#include "model/short_numbers.hpp"

namespace dpm {

namespace {

std::uint64_t difference(std::int64_t from_ns, std::int64_t to_ns) {
  return short_difference(static_cast<std::uint64_t>(from_ns), static_cast<std::uint64_t>(to_ns));
}

}  // namespace

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
  put_short(packet_bytes_, packet.bytes);
  put_short(packet_bytes_, packet.records);
  put_short(packet_bytes_, difference(last_ns_, packet.first_time.ns));
  put_short(packet_bytes_, difference(packet.first_time.ns, packet.last_time.ns));
  last_ns_ = packet.last_time.ns;
  put_short(packet_bytes_, processes.size());
  std::uint32_t last = 0;
  for (const ProcessRecords& of_process : processes) {
    put_short(packet_bytes_, short_difference(last, of_process.process.value));
    put_short(packet_bytes_, of_process.records);
    last = of_process.process.value;
  }
}

std::string StreamIndexer::take_kept() { return std::exchange(packet_bytes_, {}); }

std::string StreamIndexer::bytes(const std::string& taken) const {
  std::string out;
  put_short(out, file_.size());
  out += file_;
  put_short(out, packets_);
  return out + taken + packet_bytes_;
}

}  // namespace dpm
