#include "analysis/history/retries.hpp"

#include <optional>
#include <unordered_set>

#include "analysis/history/message_costs.hpp"
#include "analysis/history/target.hpp"

namespace dpm {
namespace {

constexpr std::int64_t kWork_ns = 1000;  // less is the rounding of what messages cost

class Finder {
 public:
  Finder(const History& history, const Timers& timers)
      : history_(history), timers_(timers), here_(traced_without_messages(history)), costs_(history, here_) {}

  std::map<std::uint32_t, std::uint32_t> run() {
    std::map<std::uint32_t, std::uint32_t> retries;
    for (const auto& [event, wait_ns] : timers_.waits_ns) {
      if (!is_retry(event)) continue;
      if (const auto next = next_after(event)) retries.emplace(event, *next);
    }
    return retries;
  }

 private:
  bool is_send(const HistoryEvent& event) const { return event.kind() == HistoryKind::send && event.peer != kNoPeer; }

  // Whether it repeats the call before it, which was given up.
  bool is_retry(std::uint32_t e) {
    const HistoryEvent &again = history_.events[e], &before = history_.events[e - 1];
    const auto& processes = history_.info.processes;
    return is_send(again) && is_send(before) && again.length_bytes == before.length_bytes &&
           processes[again.peer].program == processes[before.peer].program &&
           costs_.cpu(again, history_.owner_of(e).value).before_ns < kWork_ns;
  }

  std::optional<std::uint32_t> next_after(std::uint32_t retry) {
    for (std::uint32_t e = retry;; ++e) {
      const HistoryEvent& next = history_.events[e + 1];  // END at the latest
      if (next.kind() == HistoryKind::receive && next.peer == history_.events[e].peer) return e + 2;
      if (!timers_.waits_ns.contains(e + 1)) return std::nullopt;
      if (!is_retry(e + 1)) return e + 1;
    }
  }

  const History& history_;
  const Timers& timers_;
  const Target here_;
  MessageCosts costs_;
};

}  // namespace

std::map<std::uint32_t, std::uint32_t> find_retries(const History& history, const Timers& timers) {
  if (timers.waits_ns.empty()) return {};
  return Finder(history, timers).run();
}

std::uint64_t count_left_out(const History& history,
                             const std::vector<std::pair<std::uint32_t, std::uint32_t>>& ranges) {
  std::unordered_set<std::uint32_t> left_out;
  auto open = ranges;
  for (const auto& [from, to] : ranges)
    for (std::uint32_t e = from; e < to; ++e) left_out.insert(e);
  while (!open.empty()) {
    const auto [from, to] = open.back();
    open.pop_back();
    for (std::uint32_t e = from; e < to; ++e) {
      const HistoryEvent& event = history.events[e];
      if (event.kind() != HistoryKind::send || event.match == kNoEvent || left_out.contains(event.match)) continue;
      const std::uint32_t end = history.first_event[history.owner_of(event.match).value + 1];
      std::uint32_t last = event.match + 1;
      while (last < end && history.events[last].kind() != HistoryKind::receive) ++last;
      for (std::uint32_t i = event.match; i < last; ++i) left_out.insert(i);
      open.emplace_back(event.match, last);
    }
  }
  return left_out.size();
}

}  // namespace dpm
