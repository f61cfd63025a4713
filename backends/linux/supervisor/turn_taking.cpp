#include "backends/linux/supervisor/turn_taking.hpp"

#include <utility>

namespace dpm {

void Turns::left(std::uint64_t queue, std::uint32_t tid) {
  still_taking(queue, [tid](const Taker& taker) { return taker.tid == tid; });
}

bool Turns::has_left(Taker& taker, const ThreadState& thread, std::int64_t now_ns) {
  if (thread.sleeps_elsewhere || now_ns - taker.since_ns >= kTakesAtMostNs) return true;
  if (!taker.cpu_ns) taker.cpu_ns = thread.cpu_ns;
  if (thread.cpu_ns < *taker.cpu_ns + kTakesAtMostCpuNs) return false;
  taker.cpu_ns = thread.cpu_ns;
  return ++taker.seen_computing >= kTimesComputing;
}

void TurnTaking::give(TrackedThread& thread, const ReceiveRequest& request, const Call& call, const QueueFront& front) {
  thread.taking = request.identity.number();
  turns_.give(request.identity.number(), {thread.metered->tid(), call.descriptor, call.now_ns, front});
}

void TurnTaking::end(TrackedThread& thread) {
  if (!thread.taking) return;
  const std::uint64_t file = *std::exchange(thread.taking, std::nullopt);
  turns_.left(file, thread.metered->tid());
  held_.may_take(file);
}

TurnTaking::Others TurnTaking::others(const ReceiveRequest& request, const QueueFront& front) {
  const std::int64_t now_ns = shared_.clock.steady_now_ns();
  Others others;
  others.taking = turns_.still_taking(request.identity.number(), [&](Turns::Taker& taker) {
    if (taker.tid == request.notification.tid || !is_same_data(taker.front, front)) return true;
    const bool left = has_left(taker, now_ns);
    others.some_have_left |= left;
    return left;
  });
  return others;
}

bool TurnTaking::has_left(Turns::Taker& taker, std::int64_t now_ns) {
  TrackedThread* thread = shared_.table.thread(taker.tid);
  Turns::ThreadState state;
  if (thread == nullptr || !thread->files->cpu_time_ns(state.cpu_ns)) return true;
  const CallState call = shared_.kernel.call_state(thread->metered->pid(), taker.tid, taker.descriptor);
  state.sleeps_elsewhere = call == CallState::elsewhere;
  return Turns::has_left(taker, state, now_ns);
}

}  // namespace dpm
