// Which events of a process are metered (metering report 4.3, setmeter). Early filtering: an event whose flag is not
// set costs one test and is never built.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/event_type.hpp"
#include "model/result.hpp"

namespace dpm {

class MeterFlags {
 public:
  constexpr MeterFlags() = default;
  static MeterFlags all();

  bool has(EventType type) const { return (bits_ & bit(type)) != 0; }
  void set(EventType type, bool on) { bits_ = on ? bits_ | bit(type) : bits_ & ~bit(type); }

  // Meter messages are sent at once instead of being buffered.
  bool immediate() const { return (bits_ & kImmediate) != 0; }
  void set_immediate(bool on) { bits_ = on ? bits_ | kImmediate : bits_ & ~kImmediate; }

  bool none() const { return bits_ == 0; }
  friend bool operator==(MeterFlags, MeterFlags) = default;

 private:
  static constexpr std::uint32_t kImmediate = 1u << 31;
  static constexpr std::uint32_t bit(EventType type) { return 1u << static_cast<unsigned>(type); }

  std::uint32_t bits_ = 0;
};

// Applies "send,receive,-messagequeued" to `flags`: a name adds, "-name" removes, "all" stands for every event and
// "immediate" for the buffering. The metering report's names are accepted as well: fork, METERSEND, M_ALL. An unknown
// name is refused with the nearest valid one.
Result<MeterFlags> apply_flags(MeterFlags flags, std::string_view list);

// "send,receive,immediate"; "none" when nothing is set.
std::string to_string(MeterFlags flags);

}  // namespace dpm
