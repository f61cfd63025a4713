// Identities are types, not ints: a MachineId cannot be passed where a ProcessId is expected. All are dense indices
// into the tables of a TraceInfo, assigned in the order things are first seen.
#pragma once

#include <cstdint>
#include <functional>

namespace dpm {

template <typename Tag, typename Number>
struct Id {
  Number value = kNone;

  static constexpr Number kNone = static_cast<Number>(-1);

  constexpr bool is_none() const { return value == kNone; }
  friend constexpr bool operator==(Id, Id) = default;
  friend constexpr auto operator<=>(Id, Id) = default;
};

using ProcessId = Id<struct ProcessTag, std::uint32_t>;
using MachineId = Id<struct MachineTag, std::uint16_t>;
using ChannelId = Id<struct ChannelTag, std::uint32_t>;

// The set of channels a receive waits for. Set 0 always means "any channel".
using ChannelSetId = Id<struct ChannelSetTag, std::uint32_t>;
inline constexpr ChannelSetId kAnyChannel{0};

}  // namespace dpm

template <typename Tag, typename Number>
struct std::hash<dpm::Id<Tag, Number>> {
  std::size_t operator()(dpm::Id<Tag, Number> id) const { return std::hash<Number>{}(id.value); }
};
