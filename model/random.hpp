// Reproducible randomness: the same seed gives the same draws on every machine and compiler, which the standard
// library's distributions do not promise. Streams are derived by name, so that adding a process does not disturb the
// others' draws (common random numbers: the same seed in another placement gives every process the same service times).
#pragma once

#include <cstdint>
#include <string_view>

namespace dpm {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  // A separate stream for (seed, name).
  static Random stream(std::uint64_t seed, std::string_view name);

  std::uint64_t next();                                                     // 64 uniform bits (SplitMix64)
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }  // in [0, 1)
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  std::uint64_t below(std::uint64_t bound);  // in [0, bound), bound > 0
  double exponential(double mean);
  double normal();  // of mean 0 and standard deviation 1
  bool chance(double probability) { return uniform() < probability; }

 private:
  std::uint64_t state_;
};

}  // namespace dpm
