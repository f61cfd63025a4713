// What happened inside processes (POINT and VALUE) in a window of the space-time diagram, as arrays of its answer.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "model/event.hpp"
#include "model/trace_info.hpp"
#include "view/answers/answer.hpp"

namespace dpm::cli {

struct InsideWindow {
  std::span<const Event> events;
  std::span<const std::int64_t> times_ns;  // of each
  std::int64_t from_ns = 0, to_ns = 0;
  std::function<std::uint32_t(ProcessId)> row_of;  // kNoRow: it is not shown
  static constexpr std::uint32_t kNoRow = 0xffffffffu;
};

// Nothing where nothing happened inside. "inside_events" has the names that "inside_event" counts; the value of a POINT is not a
// number.
void add_inside_marks(const InsideWindow& window, const TraceInfo& info, view::Answer& answer);

}  // namespace dpm::cli
