// An event as a pass through the first two steps of P needs it, also of a process that another worker has: 24 bytes.
#pragma once

#include <cstdint>

#include "analysis/history/history.hpp"

namespace dpm {

enum class PassKind : std::uint8_t {
  work,     // uses CPU time; stands for `place` events
  needs,    // works, then needs an arrival, then works for `later_ns`
  message,  // works, then sends: it arrives `later_ns` later if messages take time, and overtakes none of the same pair
  lets_go,  // works, then lets another event happen `later_ns` later
};

struct PassEvent {
  std::int64_t work_ns = 0;
  std::int64_t later_ns = 0;
  std::uint32_t place = 0;  // of `message` and `lets_go`: of the event in the peer (history_share.hpp); kNoEvent: none
  std::uint32_t peer : 24 = kNoPeer;
  std::uint32_t kind_bits : 8 = 0;

  PassKind kind() const { return static_cast<PassKind>(kind_bits); }
};
static_assert(sizeof(PassEvent) == 24, "sent between workers, and kept while a process waits");

}  // namespace dpm
