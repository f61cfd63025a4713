#include "sampling/states/cpu_split.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace dpm::sampling {
namespace {

// The kernel adds to the time that a thread ran at each of its ticks, which are at most 10 ms apart. A thread whose counters
// stand still for longer does not run; within less, nothing is known.
constexpr std::uint64_t kTicks_ns = 20'000'000;
constexpr double kFade_ns = 50e6;  // intervals that are shorter than a time slice are seen together

double share_run(const RunnableThread& thread) {
  CpuCredit& credit = *thread.credit;
  const auto grown = [](std::uint64_t before, std::uint64_t now) {
    return static_cast<double>(now - std::min(before, now));
  };
  const double ran_ns = grown(thread.before.ran_ns, thread.now.ran_ns);
  const double waited_ns = grown(thread.before.waited_ns, thread.now.waited_ns);  // added when the wait ends
  if (ran_ns + waited_ns == 0) {
    credit.still_ns += thread.elapsed_ns;
    if (credit.still_ns >= kTicks_ns) return 0;
  } else {
    const double kept = std::exp(-static_cast<double>(thread.elapsed_ns + credit.still_ns) / kFade_ns);
    credit.still_ns = 0;
    credit.ran_ns = credit.ran_ns * kept + ran_ns;
    credit.waited_ns = credit.waited_ns * kept + waited_ns;
  }
  const double sum_ns = credit.ran_ns + credit.waited_ns;
  return sum_ns == 0 ? 0 : credit.ran_ns / sum_ns;
}

}  // namespace

void split_cpu(std::span<RunnableThread> threads) {
  std::map<std::uint32_t, RunnableThread*> first;  // by CPU: the thread with the most credit
  for (auto& thread : threads) {
    thread.credit->run += share_run(thread);
    auto& best = first[thread.processor];
    if (best == nullptr || thread.credit->run > best->credit->run) best = &thread;
  }
  for (auto& thread : threads) {
    if (first[thread.processor] == &thread && thread.credit->run >= .5) {
      thread.credit->run -= 1;
      thread.state = State::cpu_run;
    } else {
      thread.state = thread.now.turns == 0 ? State::created : State::cpu_queue;
    }
  }
}

}  // namespace dpm::sampling
