// One call of a metered program, as the supervisor describes it.
#pragma once

#include <cstdint>
#include <optional>

#include "backends/linux/calls/metered_thread.hpp"

namespace dpm {

struct Call {
  MeteredThread* thread = nullptr;
  LocalTime time;
  std::int64_t now_ns = 0;  // by a clock that is never set
  std::uint64_t pc = 0;
  std::uint16_t load = 0;
  std::int32_t descriptor = -1;
  bool counted_in_io = false;  // the thread's I/O counters will tell its result
  bool may_wait = true;        // neither the call nor the descriptor is non-blocking
  bool takes_all = false;      // it waits until it has all that it asks for (MSG_WAITALL)
  bool data_is_there = true;   // of a receive: what it will take was there at `time`
};

// How much a call asks to move, and how much it will probably move.
struct Amount {
  std::uint64_t asked = 0;
  std::uint64_t probable = 0;
  std::optional<std::uint64_t> offset = std::nullopt;  // where the stream stands, if that is known
  bool moves_all = true;                               // of a send: it cannot move a part
  // The stream's offset is not known yet, but will be. It is at least this.
  std::optional<std::uint64_t> stands_beyond = std::nullopt;
};

}  // namespace dpm
