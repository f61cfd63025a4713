// Turns the packets of a trace into Events, by the classes that its filters kept.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "trace/record_decoder.hpp"
#include "trace/stream_file.hpp"

namespace dpm {

// What reading one stream found beside its events.
struct StreamOutcome {
  std::uint64_t records = 0;    // read and delivered
  std::uint64_t no_event = 0;   // sound, but of a kind that Events don't have
  std::uint64_t malformed = 0;  // sound packets, impossible records
  std::uint64_t packets_missing = 0;
  std::string damage;
};

// StreamOutcome::damage of a stream with a packet that trace.json says nothing of.
inline constexpr const char* kOtherStream = "belongs to another machine or filter than trace.json says";

class PacketDecoder {
 public:
  // Foreign records get ids and names in `info`, which outlives this.
  PacketDecoder(const TraceDescription& description, TraceInfo& info);

  bool is_foreign() const { return is_foreign_; }
  ForeignNames& names() { return *names_; }

  // False: no machine and filter of this trace can have written the packet.
  bool can_read(const PacketHead& head) const {
    return head.filter < decoders_.size() && head.machine < MachineId::kNone;
  }

  // Calls handle(event) for each record that is an Event, and counts what it says: true is a sound event.
  template <typename Handle>
  void read(const Packet& packet, StreamOutcome& outcome, Handle&& handle) {
    const MachineId machine{static_cast<std::uint16_t>(packet.head.machine)};
    auto left = packet.records;
    Event event;
    std::uint64_t records = 0;
    for (; !left.empty() && records < packet.head.records; ++records) {
      const RecordDecoder* decoder = decoder_of(packet.head.filter, left);
      if (decoder == nullptr) break;
      if (decoder->is_event()) {
        decoder->decode(left.data() + kEventHeadBytes, machine, *names_, event);
        ++(handle(std::as_const(event)) ? outcome.records : outcome.malformed);
      } else {
        ++outcome.no_event;
      }
      left = left.subspan(kEventHeadBytes + decoder->payload_bytes());
    }
    outcome.malformed += packet.head.records - records;
  }

  // The same for the records of some processes: is_wanted(process). Others are not looked at. False: the packet has a record
  // that is not an Event, or does not name its process.
  template <typename IsWanted, typename Handle>
  bool read_of(const Packet& packet, StreamOutcome& outcome, IsWanted&& is_wanted, Handle&& handle) {
    const MachineId machine{static_cast<std::uint16_t>(packet.head.machine)};
    auto left = packet.records;
    Event event;
    for (std::uint64_t record = 0; record < packet.head.records; ++record) {
      const RecordDecoder* decoder = decoder_of(packet.head.filter, left);
      if (decoder == nullptr || !decoder->is_event() || !decoder->process_offset()) return false;
      ProcessId process;
      std::memcpy(&process, left.data() + kEventHeadBytes + *decoder->process_offset(), sizeof process);
      if (is_wanted(process)) {
        decoder->decode(left.data() + kEventHeadBytes, machine, *names_, event);
        ++(handle(std::as_const(event)) ? outcome.records : outcome.malformed);
      }
      left = left.subspan(kEventHeadBytes + decoder->payload_bytes());
    }
    return left.empty();
  }

  // Calls note(event) for each record up to one that is not an Event.
  template <typename Note>
  void note_events(const Packet& packet, Note&& note) const {
    const MachineId machine{static_cast<std::uint16_t>(packet.head.machine)};
    auto left = packet.records;
    Event event;
    for (std::uint64_t record = 0; record < packet.head.records; ++record) {
      const RecordDecoder* decoder = decoder_of(packet.head.filter, left);
      if (decoder == nullptr || !decoder->is_event()) return;
      decoder->decode(left.data() + kEventHeadBytes, machine, *names_, event);
      note(std::as_const(event));
      left = left.subspan(kEventHeadBytes + decoder->payload_bytes());
    }
  }

 private:
  // Of the record that these bytes begin with; none if they are not one.
  const RecordDecoder* decoder_of(std::uint32_t filter, std::span<const std::byte> bytes) const;

  std::vector<std::vector<RecordDecoder>> decoders_;  // by filter, class
  std::unique_ptr<ForeignNames> names_;
  bool is_foreign_ = false;
};

}  // namespace dpm
