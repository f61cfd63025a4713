#include "analysis/parallelism/longest_path.hpp"

#include <algorithm>
#include <limits>

#include "analysis/history/pair_clocks.hpp"

namespace dpm {
namespace {

constexpr std::int64_t kNotArrivedNs = std::numeric_limits<std::int64_t>::min();

struct Cursor {
  std::uint32_t event = 0;
  std::int64_t time_ns = 0;
};

// Keeps what a SEND leaves for its RECEIVE: 8 bytes an event while the pass runs.
class Pass {
 public:
  Pass(const History& history, MessageCosts& costs, MessageDelays delays)
      : history_(history),
        costs_(costs),
        delays_(delays),
        arrival_ns_(history.events.size(), kNotArrivedNs),
        external_(history.external_arcs) {
    std::sort(external_.begin(), external_.end(), [](const auto& a, const auto& b) { return a.from < b.from; });
  }

  LongestPath run() {
    const std::uint32_t processes = history_.process_count();
    cursors_.resize(processes);
    for (std::uint32_t p = 0; p < processes; ++p) {
      cursors_[p].event = history_.first_event[p];
      path_.not_reached += history_.first_event[p + 1] - history_.first_event[p];
      if (history_.first_event[p] != history_.first_event[p + 1]) ready_.push_back(p);
    }
    while (!ready_.empty()) {
      const std::uint32_t p = ready_.back();
      ready_.pop_back();
      run_ahead(p);
    }
    return path_;
  }

 private:
  void run_ahead(std::uint32_t p) {
    Cursor cursor = cursors_[p];
    const std::uint32_t end = history_.first_event[p + 1];
    for (; cursor.event < end; ++cursor.event) {
      const HistoryEvent& event = history_.events[cursor.event];
      const bool needs = needs_match(event.kind());
      const std::int64_t arrival = needs ? arrival_ns_[cursor.event] : kNotArrivedNs;
      if (needs && event.match != kNoEvent && arrival == kNotArrivedNs) break;
      const CpuCost cost = costs_.cpu(event, p);
      path_.cpu_ns += cost.before_ns + cost.after_ns;
      cursor.time_ns = std::max(cursor.time_ns + cost.before_ns, arrival) + cost.after_ns;
      if (!needs && event.kind() != HistoryKind::end) leave(p, cursor);
    }
    path_.t_max_ns = std::max(path_.t_max_ns, cursor.time_ns);
    path_.not_reached -= cursor.event - cursors_[p].event;
    cursors_[p] = cursor;
  }

  void leave(std::uint32_t p, const Cursor& cursor) {
    const HistoryEvent& event = history_.events[cursor.event];
    std::int64_t arrival = cursor.time_ns;
    if (delays_ == MessageDelays::target && sends_message(event.kind()) && event.peer != kNoPeer) {
      arrival = pairs_.arrive(p, event.peer, arrival + costs_.delivery_ns(event, p, event.peer));
    }
    if (event.match != kNoEvent) {
      arrival_ns_[event.match] = arrival;
      if (event.peer != p && cursors_[event.peer].event == event.match) ready_.push_back(event.peer);
    } else if (!external_.empty() && event.kind() == HistoryKind::send) {
      leave_outside(cursor);
    }
  }

  void leave_outside(const Cursor& cursor) {
    const auto arc = std::lower_bound(external_.begin(), external_.end(), cursor.event,
                                      [](const ExternalArc& a, std::uint32_t from) { return a.from < from; });
    if (arc == external_.end() || arc->from != cursor.event) return;
    arrival_ns_[arc->to] = cursor.time_ns + static_cast<std::int64_t>(arc->elapsed_ns);
  }

  const History& history_;
  MessageCosts& costs_;
  MessageDelays delays_;
  std::vector<std::int64_t> arrival_ns_;
  std::vector<ExternalArc> external_;  // by `from`
  std::vector<Cursor> cursors_;
  std::vector<std::uint32_t> ready_;
  PairClocks pairs_;
  LongestPath path_;
};

}  // namespace

LongestPath longest_path(const History& history, MessageCosts& costs, MessageDelays delays) {
  return Pass(history, costs, delays).run();
}

}  // namespace dpm
