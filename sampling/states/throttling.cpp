#include "sampling/states/throttling.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace dpm::sampling {
namespace {

// Longer than a period of a quota can be. What was owed before is of waits that no sample met.
constexpr std::uint64_t kOwedMost_ns = 1'000'000'000;

}  // namespace

void Throttling::owe(std::uint64_t throttled_ns, std::uint64_t now_ns) {
  if (owed_ns_ <= 0 || now_ns - spent_at_ns_ > kOwedMost_ns) {
    owed_ns_ = std::min(owed_ns_, 0.);
    spent_at_ns_ = now_ns;
  }
  owed_ns_ += static_cast<double>(throttled_ns);
}

void Throttling::split(std::span<RunnableThread* const> threads, std::uint64_t elapsed_ns, std::uint64_t now_ns) {
  std::map<std::uint32_t, std::vector<RunnableThread*>> queueing;
  for (RunnableThread* thread : threads)
    if (thread->state == State::cpu_queue) queueing[thread->processor].push_back(thread);
  for (const RunnableThread* thread : threads)
    if (thread->state == State::cpu_run) queueing.erase(thread->processor);
  elapsed_ns_ += static_cast<double>(elapsed_ns);
  const double interval_ns = elapsed_ns_ / static_cast<double>(++samples_);
  for (const auto& [processor, waiting] : queueing) {
    if (owed_ns_ < interval_ns / 2) return;
    for (RunnableThread* thread : waiting) thread->state = State::throttled;
    owed_ns_ -= interval_ns;
    spent_at_ns_ = now_ns;
  }
}

}  // namespace dpm::sampling
