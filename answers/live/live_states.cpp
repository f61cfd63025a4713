#include "answers/live/live_states.hpp"

#include <poll.h>

#include "answers/live/whole_blame.hpp"
#include "answers/sampling/chosen_processes.hpp"
#include "answers/sampling/sampler_setup.hpp"
#include "sampling/proc/proc_sampler.hpp"
#include "sampling/proc/sample_clock.hpp"

namespace dpm::cli {
namespace {

constexpr std::uint64_t kIntervalNs = 123'000'000;  // that of dpm sample
constexpr std::chrono::seconds kAfterLastQuestion{10};

}  // namespace

Result<view::Json> LiveStates::document() {
  const std::lock_guard lock(mutex_);
  asked_ = Clock::now();
  if (!is_sampling_)
    if (auto begun = begin(); !begun) return begun.error();
  if (!counts_ || counts_->total().samples == 0) return view::Json{{"computing", 0}};
  return states_json(*counts_);
}

Result<void> LiveStates::begin() {
  auto selection = running_of_trace(trace_);
  if (!selection) return selection.error();
  if (!*selection) return Error{"no process of the trace runs on this machine"};
  if (thread_.joinable()) thread_.join();
  is_sampling_ = true;
  thread_ = std::jthread([this, chosen = **std::move(selection)](const std::stop_token& stop) { run(stop, chosen); });
  return {};
}

void LiveStates::run(const std::stop_token& stop, sampling::Selection selection) {
  auto made = set_up_sampler("auto", kIntervalNs, selection);
  auto clock = sampling::SampleClock::start(kIntervalNs);
  std::unique_lock lock(mutex_);
  if (made && clock) {
    sampling::ProcSampler sampler(std::move(selection), std::move(made->looker));
    counts_.emplace(std::move(made->setup));
    while (!stop.stop_requested() && !sampler.is_over() && Clock::now() - asked_ < kAfterLastQuestion) {
      lock.unlock();
      pollfd waited = {clock->descriptor(), POLLIN, 0};
      ::poll(&waited, 1, -1);
      lock.lock();
      if (clock->take(counts_->account())) sampler.take(*counts_);
    }
  }
  is_sampling_ = false;
}

}  // namespace dpm::cli
