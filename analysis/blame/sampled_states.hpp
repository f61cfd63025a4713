// What the processes of a trace were found doing at the instants of samples, where the trace itself does not say it.
//
// Only changes are kept: most threads of most programs wait where they waited at the last sample.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/ids.hpp"

namespace dpm {

enum class SampledState : std::uint8_t {
  none,    // it was not looked at
  runs,    // on a CPU
  queues,  // for a CPU
  disk,
  lock,
  timer,
  signal,
  waits,  // for a message, or for something else that another process does
  other,
};

class SampledStates {
 public:
  // The time between two samples that are not late; 0: not known.
  explicit SampledStates(std::int64_t interval_ns = 0) : interval_ns_(interval_ns) {}

  // Samples in the order of time.
  void begin_sample(std::int64_t at_ns) { times_ns_.push_back(at_ns); }
  // From the last sample on, until it is told otherwise. It was seen at `seen_ns`: threads are looked at one after the other.
  void set(ProcessId process, SampledState state, std::int64_t seen_ns);

  std::span<const std::int64_t> times_ns() const { return times_ns_; }
  std::int64_t interval_ns() const { return interval_ns_; }
  struct Look {
    SampledState state = SampledState::none;
    std::int64_t seen_ns = 0;
  };
  Look at(ProcessId process, std::size_t sample) const;

 private:
  struct Change {
    std::size_t sample = 0;
    Look look;
  };
  std::int64_t interval_ns_;
  std::vector<std::int64_t> times_ns_;
  std::vector<std::vector<Change>> changes_;  // by process
};

}  // namespace dpm
