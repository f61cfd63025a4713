// Our own meter messages: how an Event travels from a meter to a filter. filter/descriptions/dpm.desc describes the
// same bytes to rules and to other tools.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "model/event.hpp"
#include "model/result.hpp"

namespace dpm {

inline constexpr std::size_t kMeterMessageBytes = 84;
using MeterMessage = std::array<std::byte, kMeterMessageBytes>;

MeterMessage encode_meter_message(const Event& event);

// Refuses a wrong size and an unknown type or evidence. Ids are not checked: only the receiver knows their tables.
Result<Event> decode_meter_message(std::span<const std::byte> message);

}  // namespace dpm
