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
};

class Collector {
 public:
  Collector(const History& history, std::span<const std::uint64_t> completion_ns, const TimelineWindow& window)
      : history_(history), completion_ns_(completion_ns), window_(window) {
    found_.items.assign(history.process_count(), 0);
  }

  Found collect() {
    for (std::uint32_t process = 0; process < history_.process_count(); ++process) collect(process);
    return std::move(found_);
  }

 private:
  void collect(std::uint32_t process) {
    const std::uint32_t begin = history_.first_event[process], end = history_.first_event[process + 1];
    std::uint64_t before_ns = 0;
    for (std::uint32_t at = begin; at < end; ++at) {
      const HistoryEvent& event = history_.events[at];
      const std::uint64_t done_ns = completion_ns_[at];
      if (at == begin && event.kind() == HistoryKind::start) before_ns = done_ns;  // there was no process before
      DPM_CHECK(done_ns >= before_ns);
      if (event.kind() == HistoryKind::receive) {
        const std::uint64_t busy_until_ns = std::min(before_ns + event.cpu_ns, done_ns);
        add_segment(process, SegmentKind::busy, before_ns, busy_until_ns);
        add_segment(process, SegmentKind::blocked, busy_until_ns, done_ns);
      } else {
        add_segment(process, SegmentKind::busy, before_ns, done_ns);
      }
      add_message(process, event, done_ns);
      before_ns = done_ns;
    }
  }

  void add_segment(std::uint32_t process, SegmentKind kind, std::uint64_t from_ns, std::uint64_t to_ns) {
    from_ns = std::max(from_ns, window_.from_ns);
    to_ns = std::min(to_ns, window_.to_ns);
    if (from_ns >= to_ns) return;
    // Work between two sends is one stretch to the eye.
    if (!found_.segments.empty()) {
      auto& last = found_.segments.back();
      if (last.row == process && last.kind == kind && last.to_ns == from_ns) {
        last.to_ns = to_ns;
        return;
      }
    }
    found_.segments.push_back({process, kind, from_ns, to_ns});
    ++found_.items[process];
  }

  // Arcs are found at their receiving end, so each is seen once.
  void add_message(std::uint32_t process, const HistoryEvent& event, std::uint64_t done_ns) {
    const bool message = event.kind() == HistoryKind::send || event.kind() == HistoryKind::receive;
    if (!message) return;
    if (event.match == kNoEvent) {
      if (done_ns >= window_.from_ns && done_ns < window_.to_ns) ++found_.outside_messages;
      return;
    }
    if (event.kind() != HistoryKind::receive) return;
    const std::uint64_t sent_ns = completion_ns_[event.match];
    if (sent_ns >= window_.to_ns || done_ns < window_.from_ns) return;
    const std::uint32_t sender = event.peer;
    found_.arcs.push_back({sender, process, sent_ns, done_ns, event.length_bytes});
    ++found_.items[process];
    ++found_.items.at(sender);
  }

  const History& history_;
  std::span<const std::uint64_t> completion_ns_;
  const TimelineWindow& window_;
  Found found_;
};

// Keeps the `most` longest, in their order; returns how many went.
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

Timeline make_timeline(const History& history, std::span<const std::uint64_t> completion_ns,
                       const TimelineWindow& window, std::span<const MachineId> machine_of) {
  DPM_CHECK(completion_ns.size() == history.events.size());
  Timeline timeline;
  timeline.from_ns = window.from_ns;
  timeline.to_ns = window.to_ns;
  if (window.from_ns >= window.to_ns) return timeline;

  Found found = Collector(history, completion_ns, window).collect();
  timeline.outside_messages = found.outside_messages;
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
          {row_of[arc.from_row], row_of[arc.to_row], arc.sent_ns, arc.received_ns, arc.length_bytes});
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
