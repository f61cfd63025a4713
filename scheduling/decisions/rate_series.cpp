#include "scheduling/decisions/rate_series.hpp"

#include <algorithm>
#include <cmath>

namespace dpm {

void RateSeries::begin(Duration now, std::uint64_t done) {
  slices_.clear();
  began_ = slice_began_ = now;
  done_before_ = done;
}

void RateSeries::add(Duration now, std::uint64_t done) {
  const Duration length = now - slice_began_;
  if (!began_ || length < slice_ || length.ns <= 0) return;
  slices_.push_back({done - done_before_, length});
  if (slices_.size() > slices_max_) slices_.pop_front();
  slice_began_ = now;
  done_before_ = done;
}

RateSummary RateSeries::summary(std::size_t slices_max) const {
  RateSummary summary;
  summary.slices = std::min(slices_max, slices_.size());
  double done = 0, seconds = 0, squares = 0;
  const auto first = slices_.end() - static_cast<std::ptrdiff_t>(summary.slices);
  for (auto slice = first; slice != slices_.end(); ++slice) {
    done += static_cast<double>(slice->done);
    seconds += slice->length.seconds();
  }
  if (seconds <= 0 || done <= 0) return summary;
  summary.mean = done / seconds;
  if (summary.slices < 2) return summary;
  for (auto slice = first; slice != slices_.end(); ++slice) {
    const double difference = static_cast<double>(slice->done) / slice->length.seconds() / summary.mean - 1;
    squares += difference * difference;
  }
  summary.deviation = std::sqrt(squares / static_cast<double>(summary.slices - 1));
  return summary;
}

std::optional<MeasuredGain> gain_of(const RateSummary& before, const RateSummary& after) {
  if (before.slices == 0 || after.slices == 0 || before.mean <= 0) return std::nullopt;
  const double deviation = std::max(before.deviation, after.deviation);
  const double ratio = after.mean / before.mean;
  const double error =
      ratio * deviation * std::sqrt(1 / static_cast<double>(before.slices) + 1 / static_cast<double>(after.slices));
  return MeasuredGain{ratio - 1, error};
}

}  // namespace dpm
