// Waiting times of any number of messages in bounded memory: exact count, minimum, mean and maximum; quantiles exact up
// to kStored values, and beyond that from buckets at most 1/32 of their value wide.
//
// Buckets: values below 32 have one each; above, every power of two is divided into 32 (the layout of HdrHistogram).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/bytes.hpp"

namespace dpm {

class WaitDistribution {
 public:
  static constexpr std::size_t kStored = 4096;

  struct Bucket {
    std::uint64_t from_ns = 0, to_ns = 0;  // [from, to)
    std::uint64_t count = 0;
  };

  void add(std::uint64_t wait_ns);
  void add(const WaitDistribution& other);

  void put(ByteWriter& out) const;
  void get(ByteReader& in);

  std::uint64_t count() const { return count_; }
  std::uint64_t min_ns() const { return min_ns_; }
  std::uint64_t max_ns() const { return max_ns_; }
  double mean_ns() const { return count_ == 0 ? 0 : sum_ns_ / static_cast<double>(count_); }
  bool exact_quantiles() const { return count_ <= kStored; }

  // The smallest value that at least fraction * count of the values do not exceed; 0 if there are no values.
  double quantile_ns(double fraction) const;

  // By powers of two, for plots: [0, 1), [1, 2), [2, 4), [4, 8) ... from the first to the last that holds a value.
  std::vector<Bucket> by_power() const;

 private:
  std::uint64_t count_ = 0, min_ns_ = 0, max_ns_ = 0;
  double sum_ns_ = 0;
  std::vector<std::uint64_t> stored_;
  std::vector<std::uint64_t> buckets_;  // grows to the largest value seen
};

}  // namespace dpm
