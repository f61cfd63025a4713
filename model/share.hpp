// A share of samples, with the interval that has the true one in 95 of 100 cases if the samples are independent: the score
// interval of a binomial (Wilson 1927), which stays within 0 and 1 and is not empty for a share of 0.
//
// Samples that are close together are not independent: a wait of a second is in eight of them. The interval is then too
// narrow, and a longer run or a longer interval is the remedy.
#pragma once

#include <cstdint>

namespace dpm {

struct Share {
  std::uint64_t hits = 0, samples = 0;
  double value = 0, low = 0, high = 1;

  friend bool operator==(const Share&, const Share&) = default;
};

Share share_of(std::uint64_t hits, std::uint64_t samples);
// `value` of `samples` independent looks, where `value` is a mean over several threads in each.
Share mean_share(double value, std::uint64_t samples);

}  // namespace dpm
