// What a recorder leaves on disk of what it was given.
#pragma once

#include <optional>

#include "trace/trace_window.hpp"

namespace dpm {

struct TraceForm {
  std::optional<TraceWindow> window = {};  // none: everything stays
  bool compressed = false;                 // packets by zstd (packed_packet.hpp)
};

}  // namespace dpm
