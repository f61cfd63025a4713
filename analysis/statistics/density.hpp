// How many things happened when, on one clock, without knowing the total time beforehand.
//
// Buckets are aligned to multiples of their width. When the times seen no longer fit into `buckets_max` of them, the
// width doubles and neighbours are merged, so memory is bounded and every count stays exact; only the resolution falls.
//
//   width 1:  |2|0|1|4|        a fifth bucket would be needed:
//   width 2:  | 2 | 5 |  |
#pragma once

#include <cstdint>
#include <vector>

#include "model/bytes.hpp"
#include "model/time.hpp"

namespace dpm {

class DensityHistogram {
 public:
  explicit DensityHistogram(std::size_t buckets_max = 120, Duration first_width = {1});

  void add(LocalTime when);
  // As if it had been given all times of both; `other` has the same `buckets_max` and first width.
  void add_all_of(DensityHistogram other);

  void put(ByteWriter& out) const;
  void get(ByteReader& in);

  // The beginning of bucket 0, and how long each bucket is. Buckets without a count are included.
  LocalTime begin() const { return {first_index_ * width_ns_}; }
  Duration width() const { return {width_ns_}; }
  const std::vector<std::uint64_t>& counts() const { return counts_; }
  double per_second(std::size_t bucket) const;

 private:
  void halve_resolution();

  std::size_t buckets_max_;
  std::int64_t width_ns_;
  std::int64_t first_index_ = 0;
  std::vector<std::uint64_t> counts_;
};

}  // namespace dpm
