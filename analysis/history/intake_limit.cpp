#include "analysis/history/intake_limit.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace dpm {
namespace {

bool holds(const std::vector<ChannelId>& set, std::uint32_t channel) {
  return std::find(set.begin(), set.end(), ChannelId{channel}) != set.end();
}

// The set other than "any" that the process waits for most often, or 0.
std::uint32_t most_frequent_set(std::span<const HistoryEvent> events) {
  std::map<std::uint32_t, std::uint64_t> times;
  for (const HistoryEvent& event : events)
    if (event.kind() == HistoryKind::receive && event.channel != 0) ++times[event.channel];
  const auto most =
      std::max_element(times.begin(), times.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == times.end() ? 0 : most->first;
}

IntakeLimit find_limit(const History& history, std::span<const HistoryEvent> events) {
  IntakeLimit limit{most_frequent_set(events), 0};
  const auto& sets = history.info.channel_sets;
  if (limit.answers == 0 || limit.answers >= sets.size()) return {};
  std::int64_t in_progress = 0;
  std::int64_t most_open = std::numeric_limits<std::int64_t>::min();  // while it waited for any message
  std::int64_t least_full = std::numeric_limits<std::int64_t>::max();
  for (const HistoryEvent& event : events) {
    if (event.kind() != HistoryKind::receive) continue;
    if (event.match == kNoEvent) return {};  // the graph does not contain the channel it came over
    if (!limit.governs(event.channel)) continue;
    if (event.channel == 0) {
      most_open = std::max(most_open, in_progress);
    } else {
      least_full = std::min(least_full, in_progress);
    }
    in_progress += holds(sets[limit.answers], history.events[event.match].channel) ? -1 : 1;
  }
  limit.most = least_full;
  return most_open < least_full && limit.most > 1 ? limit : IntakeLimit{};
}

}  // namespace

std::vector<IntakeLimit> find_intake_limits(const History& history) {
  std::vector<IntakeLimit> limits(history.process_count());
  if (!history.receive_calls_metered) return limits;
  for (std::uint32_t p = 0; p < limits.size(); ++p) limits[p] = find_limit(history, history.of(ProcessId{p}));
  return limits;
}

}  // namespace dpm
