#include "twin/delays_seen.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>

namespace dpm::twin {
namespace {

constexpr std::size_t kMessagesToJudge = 10;

// Messages of similar size.
struct Bucket {
  std::vector<double> seconds;
  double bytes = 0;
};
using Buckets = std::map<int, Bucket>;  // by the power of two of the size

Buckets delays_by_size(const Recording& recording) {
  Buckets buckets;
  for (const ProcessRecord& record : recording.records) {
    std::int64_t previous_ns = std::numeric_limits<std::int64_t>::max();
    for (const Operation& operation : record.operations) {
      const bool was_idle = operation.match != kNone &&
                            previous_ns <= recording.records[operation.peer].operations[operation.match].time_ns;
      previous_ns = operation.time_ns;
      if (operation.kind != OperationKind::receive || operation.what != Passes::message || operation.match == kNone)
        continue;
      const ProcessRecord& sender = recording.records[operation.peer];
      if (!sender.metered || sender.machine != record.machine) continue;
      const std::int64_t sent_ns = sender.operations[operation.match].time_ns;
      const bool was_waiting = operation.set != kNone && operation.called_ns <= sent_ns;
      if ((!was_waiting && !was_idle) || operation.time_ns < sent_ns) continue;
      const std::int64_t taken_ns = operation.time_ns - sent_ns - static_cast<std::int64_t>(operation.cpu_ns);
      Bucket& bucket = buckets[static_cast<int>(std::bit_width(operation.bytes))];
      bucket.seconds.push_back(static_cast<double>(std::max<std::int64_t>(0, taken_ns)) * 1e-9);
      bucket.bytes += operation.bytes;
    }
  }
  return buckets;
}

// The median of each size.
std::vector<std::pair<double, double>> medians(Buckets&& buckets) {
  std::vector<std::pair<double, double>> points;
  for (auto& [power, bucket] : buckets) {
    if (bucket.seconds.size() < kMessagesToJudge) continue;
    const auto middle = bucket.seconds.begin() + static_cast<std::ptrdiff_t>(bucket.seconds.size() / 2);
    std::nth_element(bucket.seconds.begin(), middle, bucket.seconds.end());
    const double bytes = bucket.bytes / static_cast<double>(bucket.seconds.size());
    // A longer message is not faster: a smaller median is noise.
    points.emplace_back(bytes, points.empty() ? *middle : std::max(*middle, points.back().second));
  }
  return points;
}

}  // namespace

std::optional<DelayClass> local_delays_seen(const Recording& recording) {
  auto points = medians(delays_by_size(recording));
  if (points.empty()) return std::nullopt;
  // Longer messages are assumed to take as long as the longest seen.
  points.emplace_back(points.back().first + 1, points.back().second);
  auto delivery = PiecewiseLinear::through(points);
  if (!delivery) return std::nullopt;
  return DelayClass{*delivery, {}, {}};
}

}  // namespace dpm::twin
