// Several threads read one socket or pipe: whose share is what waits there? Turns decides; this looks at the threads.
#pragma once

#include <cstdint>

#include "backends/linux/capture/supervisor/held_calls.hpp"
#include "backends/linux/capture/supervisor/queue_looks.hpp"
#include "backends/linux/capture/supervisor/shared.hpp"
#include "backends/linux/capture/supervisor/turns.hpp"

namespace dpm {

class TurnTaking {
 public:
  TurnTaking(Shared& shared, HeldCalls& held, QueueLooks& looks) : shared_(shared), held_(held), looks_(looks) {}

  // The thread is let go to take a share of what begins with `front`.
  void give(TrackedThread& thread, const Asking& asking, const Call& call, const QueueFront& front);
  // It is out of that call: it is the next one's turn.
  void end(TrackedThread& thread);
  void forget_all() { turns_ = {}; }

  // Whether what was seen may be what others are just about to take. Where their threads show that they have taken it,
  // they did so after the look or before: then `sight` is what another look shows.
  bool may_be_anothers_share(const Asking& asking, QueueSight& sight, int fd);

 private:
  bool has_left(Turns::Taker& taker, std::int64_t now_ns);

  Shared& shared_;
  HeldCalls& held_;
  QueueLooks& looks_;
  Turns turns_;
};

}  // namespace dpm
