// How fast work is done, in slices of time, and how far that can be trusted: the slices of a program that is not steady differ.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "model/time.hpp"

namespace dpm {

struct RateSummary {
  double mean = 0;       // work a second
  double deviation = 0;  // of one slice from the mean, relative to it
  std::size_t slices = 0;
};

// A gain with its standard error, both relative to the rate before: 0.1 is 10 % more work a second.
struct MeasuredGain {
  double gain = 0, error = 0;
};

class RateSeries {
 public:
  // Keeps the last `slices_max` slices.
  RateSeries(Duration slice, std::size_t slices_max) : slice_(slice), slices_max_(slices_max) {}

  // Forgets everything. `done` counts work since any time, and never decreases.
  void begin(Duration now, std::uint64_t done);
  // A slice ends as soon as it is at least as long as wanted: how often this is called limits how short slices are.
  void add(Duration now, std::uint64_t done);

  // When begin() was called; nothing before that.
  std::optional<Duration> began() const { return began_; }
  // Of the last slices.
  RateSummary summary(std::size_t slices_max = SIZE_MAX) const;

 private:
  struct Slice {
    std::uint64_t done = 0;
    Duration length;
  };

  Duration slice_;
  std::size_t slices_max_;
  std::optional<Duration> began_;
  Duration slice_began_;
  std::uint64_t done_before_ = 0;
  std::deque<Slice> slices_;
};

// Slices of one time are expected to differ at least as much as those of the other: few slices may be alike by chance. Nothing
// if one of the two has no slice, or no work was done before.
std::optional<MeasuredGain> gain_of(const RateSummary& before, const RateSummary& after);

}  // namespace dpm
