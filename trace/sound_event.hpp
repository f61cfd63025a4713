// What all code behind the readers relies on in an event, checked once: a trace, or a meter, may come from anywhere.
#pragma once

#include <cstdint>

#include "model/event.hpp"
#include "model/trace_growth.hpp"

namespace dpm {

// Times lie within 146 years of a clock's zero: the difference of any two of them fits an integer.
inline constexpr std::int64_t kEventTimeEndNs = std::int64_t{1} << 62;

// Every id, and every code that is an id, is in its table or stands for nothing.
bool ids_are_known(const Event& event, const TableSizes& sizes);

// Its times and durations are possible ones.
bool values_are_possible(const Event& event);

}  // namespace dpm
