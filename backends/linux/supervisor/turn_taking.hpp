// Several threads read one socket or pipe. Turns decides which of them gets what waits there; this looks at the
// threads.
#pragma once

#include <cstdint>

#include "backends/linux/supervisor/held_calls.hpp"
#include "backends/linux/supervisor/queue_looks.hpp"
#include "backends/linux/supervisor/shared.hpp"
#include "backends/linux/supervisor/turns.hpp"

namespace dpm {

class TurnTaking {
 public:
  TurnTaking(Shared& shared, HeldCalls& held, QueueLooks& looks) : shared_(shared), held_(held), looks_(looks) {}

  // The thread is let go to take a share of what begins with `front`.
  void give(TrackedThread& thread, const Asking& asking, const Call& call, const QueueFront& front);
  // The thread's call is over: it is the next one's turn.
  void end(TrackedThread& thread);
  void forget_all() { turns_ = {}; }

  // Whether other threads may be about to take what was seen. If they turn out to have taken their share, before or
  // after the look, `sight` becomes the result of another look.
  bool may_be_anothers_share(const Asking& asking, QueueSight& sight, int fd);

 private:
  std::uint64_t shares(const Asking& asking, const QueueSight& sight, int fd);
  bool has_left(Turns::Taker& taker, std::int64_t now_ns);

  Shared& shared_;
  HeldCalls& held_;
  QueueLooks& looks_;
  Turns turns_;
};

}  // namespace dpm
