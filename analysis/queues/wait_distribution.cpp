#include "analysis/queues/wait_distribution.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace dpm {
namespace {

constexpr std::uint64_t kPerPower = 32;
constexpr int kPerPowerBits = 5;

int power_of(std::uint64_t value) { return static_cast<int>(std::bit_width(value)); }

// The greatest representable number stands for 2^64.
std::uint64_t two_to(int power) { return power < 64 ? std::uint64_t{1} << power : ~std::uint64_t{0}; }

std::size_t bucket_of(std::uint64_t value) {
  if (value < kPerPower) return static_cast<std::size_t>(value);
  const int shift = power_of(value) - 1 - kPerPowerBits;
  return static_cast<std::size_t>((static_cast<std::uint64_t>(shift) + 1) * kPerPower + (value >> shift) - kPerPower);
}

std::uint64_t lowest_in(std::size_t bucket) {
  if (bucket < kPerPower) return bucket;
  const std::uint64_t shift = bucket / kPerPower - 1;
  return (bucket % kPerPower + kPerPower) << shift;
}

std::uint64_t width_of(std::size_t bucket) {
  return bucket < kPerPower ? 1 : std::uint64_t{1} << (bucket / kPerPower - 1);
}

}  // namespace

void WaitDistribution::add(std::uint64_t wait_ns) {
  min_ns_ = count_ == 0 ? wait_ns : std::min(min_ns_, wait_ns);
  max_ns_ = std::max(max_ns_, wait_ns);
  ++count_;
  sum_ns_ += static_cast<double>(wait_ns);
  if (stored_.size() < kStored) stored_.push_back(wait_ns);
  const std::size_t bucket = bucket_of(wait_ns);
  if (bucket >= buckets_.size()) buckets_.resize(bucket + 1, 0);
  ++buckets_[bucket];
}

void WaitDistribution::add(const WaitDistribution& other) {
  if (other.count_ == 0) return;
  min_ns_ = count_ == 0 ? other.min_ns_ : std::min(min_ns_, other.min_ns_);
  max_ns_ = std::max(max_ns_, other.max_ns_);
  count_ += other.count_;
  sum_ns_ += other.sum_ns_;
  const std::size_t room = kStored - stored_.size();
  const auto end = other.stored_.begin() + static_cast<std::ptrdiff_t>(std::min(room, other.stored_.size()));
  stored_.insert(stored_.end(), other.stored_.begin(), end);
  if (buckets_.size() < other.buckets_.size()) buckets_.resize(other.buckets_.size(), 0);
  for (std::size_t bucket = 0; bucket < other.buckets_.size(); ++bucket) buckets_[bucket] += other.buckets_[bucket];
}

void WaitDistribution::put(ByteWriter& out) const {
  for (const std::uint64_t value : {count_, min_ns_, max_ns_}) out.put(value);
  out.put(sum_ns_);
  out.put(stored_);
  out.put(buckets_);
}

void WaitDistribution::get(ByteReader& in) {
  for (std::uint64_t* value : {&count_, &min_ns_, &max_ns_}) in.get(*value);
  in.get(sum_ns_);
  in.get(stored_);
  in.get(buckets_);
}

double WaitDistribution::quantile_ns(double fraction) const {
  if (count_ == 0) return 0;
  const double wanted = std::ceil(std::clamp(fraction, 0.0, 1.0) * static_cast<double>(count_));
  const auto rank =
      std::clamp<std::uint64_t>(static_cast<std::uint64_t>(wanted), 1, count_);  // 1 is the smallest value
  if (exact_quantiles()) {
    auto sorted = stored_;
    const auto at = sorted.begin() + static_cast<std::ptrdiff_t>(rank - 1);
    std::nth_element(sorted.begin(), at, sorted.end());
    return static_cast<double>(*at);
  }
  std::uint64_t below = 0;
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    below += buckets_[bucket];
    if (below < rank) continue;
    const double middle = static_cast<double>(lowest_in(bucket)) + static_cast<double>(width_of(bucket) - 1) / 2;
    return std::clamp(middle, static_cast<double>(min_ns_), static_cast<double>(max_ns_));
  }
  return static_cast<double>(max_ns_);
}

std::vector<WaitDistribution::Bucket> WaitDistribution::by_power() const {
  std::vector<Bucket> powers;
  if (count_ == 0) return powers;
  const int first = power_of(min_ns_), last = power_of(max_ns_);
  for (int power = first; power <= last; ++power) {
    powers.push_back({power == 0 ? 0 : two_to(power - 1), two_to(power), 0});
  }
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    if (buckets_[bucket] == 0) continue;
    powers[static_cast<std::size_t>(power_of(lowest_in(bucket)) - first)].count += buckets_[bucket];
  }
  return powers;
}

}  // namespace dpm
