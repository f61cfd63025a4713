// How long a process's waits for messages lasted, as counts below fixed bounds, which fit what Prometheus calls a histogram.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace dpm {

struct WaitCounts {
  static constexpr std::array<std::uint64_t, 16> kBounds_ns = {
      100'000,    250'000,     500'000,     1'000'000,   2'500'000,     5'000'000,     10'000'000,    25'000'000,
      50'000'000, 100'000'000, 250'000'000, 500'000'000, 1'000'000'000, 2'500'000'000, 5'000'000'000, 10'000'000'000};

  std::array<std::uint64_t, kBounds_ns.size() + 1> counts =
      {};  // at most the bound and more than the one before; last: more
  std::uint64_t sum_ns = 0;

  void add(std::uint64_t wait_ns) {
    const auto bound = std::lower_bound(kBounds_ns.begin(), kBounds_ns.end(), wait_ns);
    ++counts[static_cast<std::size_t>(bound - kBounds_ns.begin())];
    sum_ns += wait_ns;
  }
  WaitCounts& operator+=(const WaitCounts& other) {
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
    sum_ns += other.sum_ns;
    return *this;
  }
};

}  // namespace dpm
