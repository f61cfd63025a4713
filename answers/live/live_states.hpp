// The states of the processes of a trace that run on this machine, sampled while a viewer looks at them.
//
// Sampling begins with the first question, on a thread of its own, and ends some seconds after the last one or with the
// processes.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "sampling/counts/count_array.hpp"
#include "sampling/proc/selection.hpp"
#include "view/answers/answer.hpp"

namespace dpm::cli {

class LiveStates {
 public:
  explicit LiveStates(std::string trace) : trace_(std::move(trace)) {}

  // Since sampling began; an error if no process of the trace runs here. {"computing": 0} before the first sample.
  Result<view::Json> document();

 private:
  using Clock = std::chrono::steady_clock;
  Result<void> begin();
  void run(const std::stop_token& stop, sampling::Selection selection);

  const std::string trace_;
  std::mutex mutex_;  // of all that follows
  std::optional<sampling::CountArray> counts_;
  Clock::time_point asked_{};
  bool is_sampling_ = false;
  std::jthread thread_;  // the first to end
};

}  // namespace dpm::cli
