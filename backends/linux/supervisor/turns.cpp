#include "backends/linux/supervisor/turns.hpp"

namespace dpm {

bool is_same_data(const QueueFront& then, const QueueFront& now) {
  if (then.with_others) return true;
  if (then.stream) return now.bytes >= then.bytes;
  return now.bytes == then.bytes && now.beginning == then.beginning;
}

void Turns::left(std::uint64_t queue, std::uint32_t tid) {
  still_taking(queue, [tid](const Taker& taker) { return taker.tid == tid; });
}

bool Turns::has_left(Taker& taker, const ThreadSight& sight, std::int64_t now_ns) {
  if (sight.sleeps_elsewhere || now_ns - taker.since_ns >= kTakesAtMostNs) return true;
  if (!taker.cpu_ns) taker.cpu_ns = sight.cpu_ns;
  if (sight.cpu_ns < *taker.cpu_ns + kTakesAtMostCpuNs) return false;
  taker.cpu_ns = sight.cpu_ns;
  return ++taker.seen_computing >= kTimesComputing;
}

}  // namespace dpm
