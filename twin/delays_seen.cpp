#include "twin/delays_seen.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>

namespace dpm::twin {
namespace {

constexpr std::size_t kMessagesToJudge = 10;

}  // namespace

std::optional<DelayClass> local_delays_seen(const Recording& recording) {
  struct Bucket {
    std::vector<double> seconds;
    double bytes = 0;
  };
  std::map<int, Bucket> buckets;  // by the power of two of the size
  std::size_t seen = 0;
  for (const Life& life : recording.lives) {
    std::int64_t previous_ns = std::numeric_limits<std::int64_t>::max();
    for (const Op& op : life.ops) {
      const bool was_idle = op.match != kNone && previous_ns <= recording.lives[op.peer].ops[op.match].time_ns;
      previous_ns = op.time_ns;
      if (op.kind != OpKind::receive || op.what != Passes::message || op.match == kNone) continue;
      const Life& sender = recording.lives[op.peer];
      if (!sender.metered || sender.machine != life.machine) continue;
      const std::int64_t sent_ns = sender.ops[op.match].time_ns;
      const bool was_waiting = op.set != kNone && op.called_ns <= sent_ns;
      if ((!was_waiting && !was_idle) || op.time_ns < sent_ns) continue;
      Bucket& bucket = buckets[static_cast<int>(std::bit_width(op.bytes))];
      bucket.seconds.push_back(
          static_cast<double>(std::max<std::int64_t>(0, op.time_ns - sent_ns - static_cast<std::int64_t>(op.cpu_ns))) *
          1e-9);
      bucket.bytes += op.bytes;
      ++seen;
    }
  }
  if (seen < kMessagesToJudge) return std::nullopt;
  std::vector<std::pair<double, double>> points;
  for (auto& [power, bucket] : buckets) {
    if (bucket.seconds.size() < kMessagesToJudge) continue;
    const auto middle = bucket.seconds.begin() + static_cast<std::ptrdiff_t>(bucket.seconds.size() / 2);
    std::nth_element(bucket.seconds.begin(), middle, bucket.seconds.end());
    const double bytes = bucket.bytes / static_cast<double>(bucket.seconds.size());
    // A longer message is not faster: what says so is noise.
    points.emplace_back(bytes, points.empty() ? *middle : std::max(*middle, points.back().second));
  }
  if (points.empty()) return std::nullopt;
  // Nothing is known of longer messages: they take as long as the longest seen.
  points.emplace_back(points.back().first + 1, points.back().second);
  auto delivery = PiecewiseLinear::through(points);
  if (!delivery) return std::nullopt;
  return DelayClass{*delivery, {}, {}};
}

}  // namespace dpm::twin
