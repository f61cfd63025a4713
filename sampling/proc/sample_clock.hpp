// The times of samples: constant intervals that do not grow with the work of a sample (S4 4.1), and how well they were kept.
#pragma once

#include <cstdint>

#include "model/result.hpp"
#include "os/unique_fd.hpp"
#include "sampling/counts/count_array.hpp"

namespace dpm::sampling {

inline constexpr std::uint64_t kNsPerSecond = 1'000'000'000;

class SampleClock {
 public:
  // The first time is one interval from now.
  static Result<SampleClock> start(std::uint64_t interval_ns);

  // To be polled: readable when the time of a sample has come.
  int descriptor() const { return timer_.get(); }
  // The time has come: takes it, and notes how late we are. False if it has not.
  bool take(SamplerAccount& account);

 private:
  SampleClock(UniqueFd timer, std::uint64_t interval_ns, std::uint64_t first_ns)
      : timer_(std::move(timer)), interval_ns_(interval_ns), next_ns_(first_ns) {}

  UniqueFd timer_;
  std::uint64_t interval_ns_, next_ns_;
};

std::uint64_t monotonic_ns();

}  // namespace dpm::sampling
