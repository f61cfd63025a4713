#include "trace/meter_message.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstring>
#include <string>

namespace dpm {
namespace {

// The message in memory. Its members are ordered so that there is padding only at the end, which is not sent.
struct Wire {
  std::uint32_t size;
  std::uint16_t machine, load;
  std::uint8_t type, evidence;
  std::uint16_t flags;
  std::uint32_t process;
  std::int64_t local_time_ns;
  std::uint64_t proc_time_ns, pc;
  std::uint32_t peer, channel;
  std::uint64_t sequence;
  std::uint32_t length_bytes, code, passed_channel;
  std::uint32_t ready_time_ns[2], disk_time_ns[2];  // low half first: they are not at a multiple of eight
};
static_assert(offsetof(Wire, local_time_ns) == 16 && offsetof(Wire, peer) == 40 && offsetof(Wire, sequence) == 48);
static_assert(offsetof(Wire, disk_time_ns) + sizeof(Wire::disk_time_ns) == kMeterMessageBytes);

constexpr std::uint32_t low_half(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
constexpr std::uint32_t high_half(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }
constexpr std::uint64_t whole(const std::uint32_t (&halves)[2]) { return halves[0] | std::uint64_t{halves[1]} << 32; }

}  // namespace

MeterMessage encode_meter_message(const Event& event) {
  const Wire wire{static_cast<std::uint32_t>(kMeterMessageBytes),
                  event.machine.value,
                  event.load,
                  static_cast<std::uint8_t>(event.type),
                  static_cast<std::uint8_t>(event.evidence),
                  event.flags,
                  event.process.value,
                  event.local_time.ns,
                  event.proc_time_ns,
                  event.pc,
                  event.peer.value,
                  event.channel.value,
                  event.sequence,
                  event.length_bytes,
                  event.code,
                  event.passed_channel.value,
                  {low_half(event.ready_time_ns), high_half(event.ready_time_ns)},
                  {low_half(event.disk_time_ns), high_half(event.disk_time_ns)}};
  MeterMessage message;
  std::memcpy(message.data(), &wire, message.size());
  return message;
}

Result<Event> decode_meter_message(std::span<const std::byte> message) {
  if (message.size() != kMeterMessageBytes)
    return Error{fmt::format("a meter message has {} bytes, not {}", kMeterMessageBytes, message.size())};
  Wire wire{};
  std::memcpy(&wire, message.data(), message.size());
  const auto type = event_type_from_number(wire.type);
  if (wire.size != kMeterMessageBytes) return Error{fmt::format("a meter message says it has {} bytes", wire.size)};
  if (!type) return Error{fmt::format("a meter message is of type {}, which no event has", wire.type)};
  if (wire.evidence > static_cast<std::uint8_t>(Evidence::inferred))
    return Error{"a meter message has an unknown evidence"};
  Event event;
  event.local_time.ns = wire.local_time_ns;
  event.proc_time_ns = wire.proc_time_ns;
  event.pc = wire.pc;
  event.sequence = wire.sequence;
  event.length_bytes = wire.length_bytes;
  event.channel.value = wire.channel;
  event.process.value = wire.process;
  event.peer.value = wire.peer;
  event.code = wire.code;
  event.passed_channel.value = wire.passed_channel;
  event.machine.value = wire.machine;
  event.load = wire.load;
  event.type = *type;
  event.evidence = static_cast<Evidence>(wire.evidence);
  event.flags = wire.flags;
  event.ready_time_ns = whole(wire.ready_time_ns);
  event.disk_time_ns = whole(wire.disk_time_ns);
  return event;
}

}  // namespace dpm
