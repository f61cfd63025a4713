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
  std::int32_t first_argument = -1;  // by which the kernel shows that the thread is still in this call
  bool counted_in_io = false;        // the thread's I/O counters will tell its result
  bool may_wait = true;              // neither the call nor the descriptor is non-blocking
  bool takes_all = false;            // it waits until it has all that it asks for (MSG_WAITALL)
  bool data_is_there = true;         // of a receive: what it will take was there at `time`
};

// A send into a stream without offsets, which may move a part. When it is over, the stream stands where all receives and the bytes that wait
// at the other end say, if no call is moving any there.
struct PartialSend {
  const MeteredThread* by = nullptr;
  std::uint32_t tid = 0;
  std::uint64_t call_number = 0, bytes = 0;
  std::int32_t first_argument = -1;
  std::int64_t since_ns = 0;
  bool may_wait = false;        // for room, and so for receives
  bool moves_all = false;       // unless a signal or its time limit ends it
  bool is_certain = true;       // no receive was being made when it began
  std::uint64_t other_end = 0;  // its inode
};

// How much a call asks to move, and how much it will probably move.
struct Amount {
  std::uint64_t asked = 0;
  std::uint64_t probable = 0;
  std::optional<std::uint64_t> offset = std::nullopt;  // where the stream stands, if that is known
  bool moves_all = true;                               // of a send: it cannot move a part
  std::optional<PartialSend> partial = std::nullopt;   // of a send: its length will show
  // Of a transfer: the length shows at its other end, or at this end, or at both.
  bool told_by_other_end = false, tells_other_end = false;
  // Of a pipe, by a call that no counter counts: the length will show by what waits in the pipe (Meter::settle_pipe).
  bool shows_in_pipe = false;
  // The stream's offset is not known yet, but will be. It is at least this.
  std::optional<std::uint64_t> stands_beyond = std::nullopt;
};

}  // namespace dpm
