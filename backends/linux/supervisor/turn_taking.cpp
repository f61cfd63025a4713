#include "backends/linux/supervisor/turn_taking.hpp"

#include <utility>

#include "backends/linux/calls/metered_call.hpp"

namespace dpm {

void TurnTaking::give(TrackedThread& thread, const Asking& asking, const Call& call, const QueueFront& front) {
  thread.taking = asking.identity.number();
  turns_.give(asking.identity.number(), {thread.metered->tid(), call.descriptor, call.now_ns, front});
}

void TurnTaking::end(TrackedThread& thread) {
  if (!thread.taking) return;
  const std::uint64_t file = *std::exchange(thread.taking, std::nullopt);
  turns_.left(file, thread.metered->tid());
  held_.may_take(file);
}

bool TurnTaking::may_be_anothers_share(const Asking& asking, QueueSight& sight, int fd) {
  if (!sight.readable) return false;
  const std::int64_t now_ns = shared_.clock.steady_now_ns();
  bool is_old = false;
  const std::size_t others = turns_.still_taking(asking.identity.number(), [&](Turns::Taker& taker) {
    if (taker.tid == asking.notification.tid || !is_same_data(taker.front, sight.front)) return true;
    const bool left = has_left(taker, now_ns);
    is_old |= left;
    return left;
  });
  if (is_old) {
    if (const auto again = looks_.look(asking, fd)) sight = *again;
  }
  return sight.readable && others >= shares(asking, sight, fd);
}

// How many calls can be satisfied by what was seen.
std::uint64_t TurnTaking::shares(const Asking& asking, const QueueSight& sight, int fd) {
  if (sight.units) return sight.units->is_semaphore ? sight.units->count : 1;
  const bool accepts = find_metered_call(asking.notification.call)->family == CallFamily::accept;
  return accepts ? shared_.files.connections_waiting(fd) : 1;
}

bool TurnTaking::has_left(Turns::Taker& taker, std::int64_t now_ns) {
  TrackedThread* thread = shared_.table.thread(taker.tid);
  Turns::ThreadSight seen;
  if (thread == nullptr || !thread->files->cpu_time_ns(seen.cpu_ns)) return true;
  const CallState state = shared_.kernel.call_state(thread->metered->pid(), taker.tid, taker.descriptor);
  seen.sleeps_elsewhere = state == CallState::elsewhere;
  return Turns::has_left(taker, seen, now_ns);
}

}  // namespace dpm
