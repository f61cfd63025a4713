#include "analysis/history/gathers.hpp"

#include <algorithm>
#include <set>

namespace dpm {
namespace {

constexpr std::size_t kTimesAtLeast = 4;  // fewer may be by chance

// The end of the RECEIVEs from `first` on that are answers of different processes to SENDs between `asked` and `first`.
std::uint32_t end_of_answers(const History& history, std::uint32_t asked, std::uint32_t first, std::uint32_t end) {
  std::set<std::uint32_t> owing;
  for (std::uint32_t e = asked; e < first; ++e)
    if (history.events[e].kind() == HistoryKind::send) owing.insert(history.events[e].peer);
  std::uint32_t e = first;
  const auto is_answer = [&](const HistoryEvent& event) {
    return event.kind() == HistoryKind::receive && event.match != kNoEvent &&
           event.channel == history.events[first].channel && owing.erase(event.peer) > 0;
  };
  while (e < end && is_answer(history.events[e])) ++e;
  return e;
}

}  // namespace

Gathers::Gathers(const History& history, const std::vector<bool>& settled) : times_(history.process_count()) {
  for (std::uint32_t p = 0; p < history.process_count(); ++p) {
    if (settled[p]) continue;
    const std::uint32_t end = history.first_event[p + 1];
    const std::size_t before = ranges_.size();
    std::uint32_t asked = history.first_event[p];  // after its last RECEIVE
    for (std::uint32_t e = asked; e < end;) {
      if (history.events[e].kind() != HistoryKind::receive) {
        ++e;
        continue;
      }
      const std::uint32_t last = history.events[e].channel == 0 ? e : end_of_answers(history, asked, e, end);
      if (last > e + 1) ranges_.push_back({e, last});
      asked = e = std::max(e + 1, last);
    }
    if (ranges_.size() - before < kTimesAtLeast) ranges_.resize(before);
    times_[p] = ranges_.size() - before;
  }
}

std::optional<std::size_t> Gathers::of(std::uint32_t receive) const {
  const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), receive,
                                      [](std::uint32_t event, const Range& range) { return event < range.first; });
  if (after == ranges_.begin() || receive >= (after - 1)->end) return std::nullopt;
  return static_cast<std::size_t>(after - 1 - ranges_.begin());
}

}  // namespace dpm
