#include "analysis/statistics/density.hpp"

#include <algorithm>
#include <utility>

#include "model/check.hpp"
#include "model/floor_divide.hpp"

namespace dpm {

DensityHistogram::DensityHistogram(std::size_t buckets_max, Duration first_width)
    : buckets_max_(buckets_max), width_ns_(first_width.ns) {
  DPM_CHECK(buckets_max >= 2);  // a range of two buckets can straddle a boundary at every width
  DPM_CHECK(first_width.ns > 0);
}

void DensityHistogram::add(LocalTime when) {
  std::int64_t index = floor_divide(when.ns, width_ns_);
  if (counts_.empty()) {
    first_index_ = index;
    counts_.push_back(0);
  }
  const auto span_of = [&](std::int64_t i) {
    const std::int64_t low = i < first_index_ ? i : first_index_;
    const std::int64_t last = first_index_ + static_cast<std::int64_t>(counts_.size()) - 1;
    return (i > last ? i : last) - low + 1;
  };
  while (span_of(index) > static_cast<std::int64_t>(buckets_max_)) {
    halve_resolution();
    index = floor_divide(when.ns, width_ns_);
  }
  if (index < first_index_) {
    counts_.insert(counts_.begin(), static_cast<std::size_t>(first_index_ - index), 0);
    first_index_ = index;
  }
  const auto bucket = static_cast<std::size_t>(index - first_index_);
  if (bucket >= counts_.size()) counts_.resize(bucket + 1, 0);
  ++counts_[bucket];
}

void DensityHistogram::add_all_of(DensityHistogram other) {
  if (other.counts_.empty()) return;
  if (counts_.empty()) {
    *this = std::move(other);
    return;
  }
  const auto end_of = [](const DensityHistogram& of) {
    return of.first_index_ + static_cast<std::int64_t>(of.counts_.size());
  };
  const auto fits = [&] {
    return width_ns_ == other.width_ns_ &&
           std::max(end_of(*this), end_of(other)) - std::min(first_index_, other.first_index_) <=
               static_cast<std::int64_t>(buckets_max_);
  };
  while (!fits()) (width_ns_ > other.width_ns_ ? other : *this).halve_resolution();
  const std::int64_t first = std::min(first_index_, other.first_index_);
  counts_.insert(counts_.begin(), static_cast<std::size_t>(first_index_ - first), 0);
  first_index_ = first;
  const std::int64_t end = std::max(end_of(*this), end_of(other));
  counts_.resize(static_cast<std::size_t>(end - first), 0);
  for (std::size_t i = 0; i < other.counts_.size(); ++i)
    counts_[static_cast<std::size_t>(other.first_index_ - first) + i] += other.counts_[i];
}

void DensityHistogram::put(ByteWriter& out) const {
  out.put(width_ns_);
  out.put(first_index_);
  out.put(counts_);
}

void DensityHistogram::get(ByteReader& in) {
  in.get(width_ns_);
  in.get(first_index_);
  in.get(counts_);
}

double DensityHistogram::per_second(std::size_t bucket) const {
  return static_cast<double>(counts_.at(bucket)) / width().seconds();
}

void DensityHistogram::halve_resolution() {
  const std::int64_t new_first = floor_divide(first_index_, 2);
  std::vector<std::uint64_t> joined;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const auto to = static_cast<std::size_t>(floor_divide(first_index_ + static_cast<std::int64_t>(i), 2) - new_first);
    if (to >= joined.size()) joined.resize(to + 1, 0);
    joined[to] += counts_[i];
  }
  counts_ = std::move(joined);
  first_index_ = new_first;
  width_ns_ *= 2;
}

}  // namespace dpm
