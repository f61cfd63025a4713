#include "sampling/states/cpu_split.hpp"

#include <algorithm>
#include <map>

namespace dpm::sampling {
namespace {

double share_run(const CpuCounters& before, const CpuCounters& now) {
  const double ran = static_cast<double>(now.ran_ns - std::min(before.ran_ns, now.ran_ns));
  const double waited = static_cast<double>(now.waited_ns - std::min(before.waited_ns, now.waited_ns));
  // A wait is added when it ends: a thread whose counters stand still has queued since the last sample.
  return ran + waited == 0 ? 0 : ran / (ran + waited);
}

void queue(RunnableThread& thread) {
  if (thread.throttled_share > 0) *thread.throttle_credit += thread.throttled_share;
  if (*thread.throttle_credit >= .5) {
    *thread.throttle_credit -= 1;
    thread.state = State::throttled;
  } else {
    thread.state = thread.now.turns == 0 ? State::created : State::cpu_queue;
  }
}

}  // namespace

void split_cpu(std::span<RunnableThread> threads) {
  std::map<std::uint32_t, RunnableThread*> first;  // by CPU: the thread with the most credit
  for (auto& thread : threads) {
    *thread.run_credit += share_run(thread.before, thread.now);
    auto& best = first[thread.processor];
    if (best == nullptr || *thread.run_credit > *best->run_credit) best = &thread;
  }
  for (auto& thread : threads) {
    if (first[thread.processor] == &thread && *thread.run_credit >= .5) {
      *thread.run_credit -= 1;
      thread.state = State::cpu_run;
    } else {
      queue(thread);
    }
  }
}

}  // namespace dpm::sampling
