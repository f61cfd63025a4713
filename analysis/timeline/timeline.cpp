#include "analysis/timeline/timeline.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "model/check.hpp"

namespace dpm {
namespace {

constexpr std::uint32_t kNoRow = 0xffffffffu;

// Everything in the window, with process numbers where the result has rows.
struct Found {
  std::vector<TimelineSegment> segments;
  std::vector<TimelineArc> arcs;
  std::vector<std::uint64_t> items;  // by process
  std::uint64_t outside_messages = 0;
  std::uint64_t not_performed = 0;
};

class Collector {
 public:
  Collector(const History& history, const TimelineSchedule& schedule, const TimelineWindow& window)
      : history_(history), schedule_(schedule), window_(window) {
    found_.items.assign(history.process_count(), 0);
  }

  Found collect() {
    for (std::uint32_t process = 0; process < history_.process_count(); ++process) collect(process);
    join_segments();
    return std::move(found_);
  }

 private:
  void collect(std::uint32_t recorded_process) {
    const std::uint32_t begin = history_.first_event[recorded_process],
                        end = history_.first_event[recorded_process + 1];
    for (std::uint32_t at = begin; at < end; ++at) {
      const std::uint64_t done_ns = schedule_.completion_ns[at];
      if (done_ns == TimelineSchedule::kNotPerformed) {
        ++found_.not_performed;
        continue;
      }
      const std::uint32_t process = performer(at, recorded_process);
      const HistoryEvent& event = history_.events[at];
      const std::uint64_t before_ns = done_before(at, begin);
      DPM_CHECK(done_ns >= before_ns);
      const bool waits = event.kind() == HistoryKind::receive || event.kind() == HistoryKind::wait;
      const bool may_block = waits && (schedule_.waited.empty() || schedule_.waited[at] != 0);
      const std::uint64_t busy_until_ns = may_block ? std::min(before_ns + event.cpu_ns, done_ns) : done_ns;
      add_segment(process, SegmentKind::busy, before_ns, busy_until_ns);
      add_segment(process, SegmentKind::blocked, busy_until_ns, done_ns);
      if (event.kind() == HistoryKind::wait) {
        add_arc(process, at, done_ns);
      } else {
        add_message(process, at, done_ns);
      }
    }
  }

  std::uint32_t performer(std::uint32_t event, std::uint32_t recorded_process) const {
    return schedule_.performed_by.empty() ? recorded_process : schedule_.performed_by[event];
  }

  std::uint64_t done_before(std::uint32_t event, std::uint32_t first_of_process) const {
    const std::uint32_t recorded = event == first_of_process ? kNoEvent : event - 1;
    const std::uint32_t previous = schedule_.previous.empty() ? recorded : schedule_.previous[event];
    if (previous != kNoEvent) return schedule_.completion_ns[previous];
    // A created process did not exist before its start.
    return history_.events[event].kind() == HistoryKind::start ? schedule_.completion_ns[event] : 0;
  }

  void add_segment(std::uint32_t process, SegmentKind kind, std::uint64_t from_ns, std::uint64_t to_ns) {
    from_ns = std::max(from_ns, window_.from_ns);
    to_ns = std::min(to_ns, window_.to_ns);
    if (from_ns < to_ns) found_.segments.push_back({process, kind, from_ns, to_ns});
  }

  // Work between two sends looks like one stretch.
  void join_segments() {
    std::vector<TimelineSegment> joined;
    std::sort(found_.segments.begin(), found_.segments.end(),
              [](const auto& a, const auto& b) { return std::tie(a.row, a.from_ns) < std::tie(b.row, b.from_ns); });
    for (const auto& segment : found_.segments) {
      const bool goes_on = !joined.empty() && joined.back().row == segment.row && joined.back().kind == segment.kind &&
                           joined.back().to_ns == segment.from_ns;
      if (goes_on) {
        joined.back().to_ns = segment.to_ns;
      } else {
        joined.push_back(segment);
        ++found_.items.at(segment.row);
      }
    }
    found_.segments = std::move(joined);
  }

  // Arcs are found at their receiving end, so each is found once.
  void add_message(std::uint32_t process, std::uint32_t at, std::uint64_t done_ns) {
    const HistoryEvent& event = history_.events[at];
    const bool receive = event.kind() == HistoryKind::receive;
    if (!receive && event.kind() != HistoryKind::send) return;
    if (event.match == kNoEvent) {
      if (done_ns >= window_.from_ns && done_ns < window_.to_ns) ++found_.outside_messages;
      return;
    }
    if (receive) add_arc(process, at, done_ns);
  }

  void add_arc(std::uint32_t process, std::uint32_t at, std::uint64_t done_ns) {
    const HistoryEvent& event = history_.events[at];
    if (event.match == kNoEvent) return;
    const std::uint32_t send = schedule_.cause.empty() ? event.match : schedule_.cause[at];
    if (send == kNoEvent) return;
    const std::uint64_t sent_ns = schedule_.completion_ns[send];
    if (sent_ns >= window_.to_ns || done_ns < window_.from_ns) return;
    const std::uint32_t sender = performer(send, owner_of(send));
    const ArcOf of = event.kind() == HistoryKind::wait ? ArcOf::wait : ArcOf::message;
    found_.arcs.push_back({sender, process, sent_ns, done_ns, history_.events[send].length_bytes, of});
    ++found_.items.at(process);
    ++found_.items.at(sender);
  }

  std::uint32_t owner_of(std::uint32_t event) const {
    const auto after = std::upper_bound(history_.first_event.begin(), history_.first_event.end(), event);
    return static_cast<std::uint32_t>(after - history_.first_event.begin() - 1);
  }

  const History& history_;
  const TimelineSchedule& schedule_;
  const TimelineWindow& window_;
  Found found_;
};

// Keeps the `most` longest, in their order; returns how many it removed.
template <typename Item, typename Length>
std::uint64_t keep_longest(std::vector<Item>& items, std::size_t most, Length length) {
  if (items.size() <= most) return 0;
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto length_a = length(items[a]), length_b = length(items[b]);
    return length_a != length_b ? length_a > length_b : a < b;
  });
  order.resize(most);
  std::sort(order.begin(), order.end());
  std::vector<Item> kept;
  for (const std::size_t i : order) kept.push_back(items[i]);
  const std::uint64_t gone = items.size() - kept.size();
  items = std::move(kept);
  return gone;
}

// Chooses the rows; returns the row of each process, or kNoRow.
std::vector<std::uint32_t> choose_rows(const History& history, const Found& found, const TimelineWindow& window,
                                       std::span<const MachineId> machine_of, Timeline& timeline) {
  std::vector<std::uint32_t> living;
  for (std::uint32_t process = 0; process < found.items.size(); ++process) {
    if (found.items[process] > 0) living.push_back(process);
  }
  std::stable_sort(living.begin(), living.end(), [&](auto a, auto b) { return found.items[a] > found.items[b]; });
  if (living.size() > window.rows_max) {
    timeline.rows_left_out = living.size() - window.rows_max;
    living.resize(window.rows_max);
  }
  for (const std::uint32_t process : living) {
    const MachineId machine =
        process < machine_of.size() ? machine_of[process] : history.info.processes.at(process).machine;
    timeline.rows.push_back({ProcessId{process}, machine});
  }
  std::sort(timeline.rows.begin(), timeline.rows.end(), [](const auto& a, const auto& b) {
    return std::tie(a.machine, a.process) < std::tie(b.machine, b.process);
  });
  std::vector<std::uint32_t> row_of(found.items.size(), kNoRow);
  for (std::uint32_t row = 0; row < timeline.rows.size(); ++row) row_of[timeline.rows[row].process.value] = row;
  return row_of;
}

}  // namespace

Timeline make_timeline(const History& history, const TimelineSchedule& schedule, const TimelineWindow& window,
                       std::span<const MachineId> machine_of) {
  DPM_CHECK(schedule.completion_ns.size() == history.events.size());
  Timeline timeline;
  timeline.from_ns = window.from_ns;
  timeline.to_ns = window.to_ns;
  if (window.from_ns >= window.to_ns) return timeline;

  Found found = Collector(history, schedule, window).collect();
  timeline.outside_messages = found.outside_messages;
  timeline.not_performed = found.not_performed;
  const auto row_of = choose_rows(history, found, window, machine_of, timeline);
  for (const auto& segment : found.segments) {
    if (row_of[segment.row] == kNoRow) {
      ++timeline.segments_left_out;
    } else {
      timeline.segments.push_back({row_of[segment.row], segment.kind, segment.from_ns, segment.to_ns});
    }
  }
  for (const auto& arc : found.arcs) {
    if (row_of[arc.from_row] == kNoRow || row_of[arc.to_row] == kNoRow) {
      ++timeline.arcs_left_out;
    } else {
      timeline.arcs.push_back(
          {row_of[arc.from_row], row_of[arc.to_row], arc.sent_ns, arc.received_ns, arc.length_bytes, arc.of});
    }
  }
  std::stable_sort(timeline.segments.begin(), timeline.segments.end(), [](const auto& a, const auto& b) {
    return std::tie(a.row, a.from_ns) < std::tie(b.row, b.from_ns);
  });
  std::stable_sort(timeline.arcs.begin(), timeline.arcs.end(), [](const auto& a, const auto& b) {
    return std::tie(a.sent_ns, a.from_row, a.to_row) < std::tie(b.sent_ns, b.from_row, b.to_row);
  });
  timeline.segments_left_out +=
      keep_longest(timeline.segments, window.segments_max, [](const auto& s) { return s.to_ns - s.from_ns; });
  timeline.arcs_left_out +=
      keep_longest(timeline.arcs, window.arcs_max, [](const auto& a) { return a.received_ns - a.sent_ns; });
  return timeline;
}

}  // namespace dpm
