// The number of a VALUE, with a sign or without, as the program declares it.
//
// A VALUE whose flags have kUnsigned has a number without a sign; then value_of() is not its number.
#pragma once

#include "model/event.hpp"
#include "model/whole_number.hpp"

namespace dpm {

namespace event_flags {
inline constexpr std::uint16_t kUnsigned = 8;
}  // namespace event_flags

inline WholeNumber number_of(const Event& event) {
  if ((event.flags & event_flags::kUnsigned) != 0) return WholeNumber::of_bits(event.sequence, true);
  return value_of(event);
}

}  // namespace dpm
