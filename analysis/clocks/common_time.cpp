#include "analysis/clocks/common_time.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <unordered_map>

#include "analysis/clocks/clock_reading.hpp"

namespace dpm {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

using Number = ClockBounds::Number;

constexpr Number kAtOnce = 1e-6L;          // of a nanosecond: rounding
constexpr Number kRoomAfter = 2;           // nanoseconds: so that few messages must be moved twice
constexpr std::size_t kPassesMost = 1000;  // random computations need up to 400, most none
constexpr std::size_t kStepsMost = 5'000'000, kPassesLeast = 50;

}  // namespace

CommonTime::CommonTime(const Clocks& clocks) : stretches_(clocks.stretches), placed_(clocks.graph.size()) {
  const ClockGraph& graph = clocks.graph;
  // Prim's algorithm, one group after the other. The stretches of one machine are in one group.
  struct Nearest {
    std::uint32_t near = kNone;
    Number width = std::numeric_limits<Number>::infinity();
  };
  std::vector<Nearest> nearest(graph.size());
  std::vector<bool> is_placed(graph.size());
  for (std::uint16_t m = 0; m < clocks.tick_ns.size(); ++m) references_.push_back({m});
  for (std::uint32_t root = 0; root < graph.size(); ++root) {
    if (is_placed[root]) continue;
    std::vector<std::uint32_t> group;
    for (std::uint32_t next = root; next != kNone;) {
      placed_[next].base_ns = graph.clock(next).base_ns;
      placed_[next].reference_ns = graph.clock(root).base_ns;
      if (next != root) place(next, nearest[next].near, group, clocks);
      is_placed[next] = true;
      references_[graph.clock(next).machine.value] = graph.clock(root).machine;
      group.push_back(next);
      std::uint32_t best = kNone;
      for (std::uint32_t other = 0; other < graph.size(); ++other) {
        if (is_placed[other]) continue;
        Nearest& way = nearest[other];
        const bool is_same = graph.clock(other).machine == graph.clock(next).machine;
        if (is_same || graph.are_joined(next, other)) {
          const Number width = graph.width(next, other);
          if (way.near == kNone || width < way.width) way = {next, width};
        }
        if (way.near != kNone && (best == kNone || way.width < nearest[best].width)) best = other;
      }
      next = best;
    }
    if (!settle(group, clocks, true)) settle(group, clocks, false);
  }
}

// All that the clocks placed before prove of a clock, as points over the readings of one of them. `as_read`: messages between
// two machines take at least no time by what was read, not by the latest moment that it can mean.
ClockBounds CommonTime::bounds_of(std::uint32_t clock, std::uint32_t near, std::span<const std::uint32_t> placed,
                                  const Clocks& clocks, bool as_read) const {
  const ClockGraph& graph = clocks.graph;
  std::vector<ClockBounds::Point> above, below;
  for (const std::uint32_t by : placed) {
    const auto reading_of_near = [&](Number x) {
      return (placed_[by].offset + placed_[by].rate * x - placed_[near].offset) / placed_[near].rate;
    };
    const auto add_above = [&](const ClockGraph::Way& way, Number less) {
      for (const auto& point : way) {
        const Number x = reading_of_near(point.x);
        above.push_back({x, point.x + point.y - less - x});
      }
    };
    const auto add_below = [&](const ClockGraph::Way& way, Number less) {
      for (const auto& point : way) {
        const Number x = reading_of_near(point.x + point.y - less);
        below.push_back({x, point.x - x});
      }
    };
    add_above(graph.way(by, clock), 0);
    add_below(graph.way(clock, by), 0);
    if (!as_read) continue;
    const auto tick_of = [&](std::uint32_t c) {
      return static_cast<Number>(clocks.tick_ns[graph.clock(c).machine.value]);
    };
    add_above(graph.own_way(by, clock), tick_of(clock));
    add_below(graph.own_way(clock, by), tick_of(by));
  }
  const std::int64_t near_ns = graph.clock(near).base_ns;
  return {std::move(above), std::move(below), near_ns,
          clock_reading_ns(graph.clock(clock).base_ns, 0, -static_cast<Number>(near_ns))};
}

void CommonTime::place(std::uint32_t clock, std::uint32_t near, std::span<const std::uint32_t> placed,
                       const Clocks& clocks) {
  ClockBounds bounds = bounds_of(clock, near, placed, clocks, true);
  if (!bounds.is_possible()) bounds = bounds_of(clock, near, placed, clocks, false);
  if (!bounds.is_possible()) bounds = clocks.graph.bounds(near, clock);
  const auto line = bounds.is_possible() ? bounds.middle() : ClockBounds::Line{};
  const Number rate = placed_[near].rate / (1 + line.slope);
  placed_[clock].offset = placed_[near].offset - rate * line.offset;
  placed_[clock].rate = rate;
}

// Moves the lines of a group until no message goes back in time; `as_read` as above. False: that was not reached, and no line
// is moved. Lines are moved by their two ends, so that offsets and rates weigh alike; the first clock of the group stays.
bool CommonTime::settle(std::span<const std::uint32_t> group, const Clocks& clocks, bool as_read) {
  const ClockGraph& graph = clocks.graph;
  struct End {  // of a message
    std::uint32_t clock;
    Number x, part;  // of the way from the clock's first reading to its last
  };
  std::vector<std::pair<End, End>> messages;
  const auto end_at = [&](std::uint32_t clock, Number x) {
    const Number first = graph.clock(clock).first_ns - graph.clock(clock).base_ns;
    const auto span = static_cast<Number>(graph.clock(clock).last_ns - graph.clock(clock).first_ns);
    return End{clock, x, span > 0 ? (x - first) / span : 0};
  };
  for (const std::uint32_t from : group) {
    for (const std::uint32_t to : group) {
      const Number less = as_read ? static_cast<Number>(clocks.tick_ns[graph.clock(to).machine.value]) : 0;
      for (const auto& point : graph.own_way(from, to))
        messages.push_back({end_at(from, point.x), end_at(to, point.x + point.y - less)});
    }
  }
  const auto before = placed_;
  const auto instant = [&](const End& end) { return placed_[end.clock].offset + placed_[end.clock].rate * end.x; };
  const auto weight = [&](const End& end) {
    return end.clock == group.front() ? 0 : end.part * end.part + (1 - end.part) * (1 - end.part);
  };
  const auto move = [&](const End& end, Number by) {
    if (end.clock == group.front()) return;
    const EvenClock& clock = graph.clock(end.clock);
    const auto span = static_cast<Number>(clock.last_ns - clock.first_ns);
    const Number first = by * (1 - end.part), slope = span > 0 ? (by * end.part - first) / span : 0;
    placed_[end.clock].offset += first - slope * static_cast<Number>(clock.first_ns - clock.base_ns);
    placed_[end.clock].rate += slope;
  };
  const std::size_t passes = messages.empty() ? 0 : std::clamp(kStepsMost / messages.size(), kPassesLeast, kPassesMost);
  for (std::size_t pass = 0; pass < passes; ++pass) {
    bool is_settled = true;
    for (const auto& [sent, received] : messages) {
      const Number gap = instant(received) - instant(sent);
      if (gap >= -kAtOnce) continue;
      is_settled = false;
      const Number by = (kRoomAfter - gap) / (weight(sent) + weight(received));
      move(received, by);
      move(sent, -by);
    }
    if (is_settled) return true;
  }
  placed_ = before;
  return false;
}

CommonInstant CommonTime::at(MachineId machine, LocalTime time) const {
  const std::uint32_t clock = stretches_.clock_at(machine, time.ns);
  if (clock == ClockStretches::kNoClock) return {time.ns};
  const Placed& placed = placed_[clock];
  const Number x = static_cast<Number>(time.ns) - static_cast<Number>(placed.base_ns);
  return {clock_reading_ns(placed.reference_ns, 0, placed.offset + placed.rate * x)};
}

std::vector<std::int64_t> CommonTime::times_ns(std::span<const Event> events) const {
  std::vector<std::int64_t> times;
  times.reserve(events.size());
  for (const Event& event : events) times.push_back(at(event.machine, event.local_time).ns);
  return times;
}

namespace {

// Gives every event its time, causes first: a process runs until it receives a message that has not been sent yet.
class Ordering {
 public:
  Ordering(std::span<const Event> events, const CommonTime& time) : events_(events), time_(time) {
    find_causes();
    for (std::uint32_t i = 0; i < events.size(); ++i) {
      const std::uint32_t process = events[i].process.value;
      if (process >= queues_.size()) queues_.resize(process + 1u);
      queues_[process].events.push_back(i);
    }
  }

  CommonOrder run() {
    order_.times.resize(events_.size());
    order_.in_order.reserve(events_.size());
    done_.resize(events_.size());
    for (std::uint32_t process = 0; process < queues_.size(); ++process) ready_.push_back(process);
    for (;;) {
      while (!ready_.empty()) {
        const std::uint32_t process = ready_.back();
        ready_.pop_back();
        go_on(process);
      }
      if (!break_circle()) break;
    }
    // In the order performed, causes already come first; a stable sort keeps that order where times are equal.
    std::stable_sort(order_.in_order.begin(), order_.in_order.end(),
                     [this](auto a, auto b) { return order_.times[a] < order_.times[b]; });
    return std::move(order_);
  }

 private:
  struct Queue {
    std::vector<std::uint32_t> events;
    std::size_t next = 0;
    CommonInstant last{std::numeric_limits<std::int64_t>::min()};
    bool waits = false;
  };

  void find_causes() {
    cause_.assign(events_.size(), kNone);
    std::vector<std::pair<MessageKey, std::uint32_t>> sends;
    const auto is_message = [](const Event& event) {
      return (event.flags & (event_flags::kNoMessage | event_flags::kKernelMessage)) == 0;
    };
    const auto before = [](const MessageKey& a, const MessageKey& b) {
      return std::tie(a.sender, a.channel, a.sequence) < std::tie(b.sender, b.channel, b.sequence);
    };
    for (std::uint32_t i = 0; i < events_.size(); ++i) {
      const Event& event = events_[i];
      if (event.type == EventType::send && is_message(event)) sends.push_back({message_key(event), i});
    }
    std::sort(sends.begin(), sends.end(), [&](const auto& a, const auto& b) { return before(a.first, b.first); });
    for (std::uint32_t i = 0; i < events_.size(); ++i) {
      const Event& event = events_[i];
      const bool arrives = event.type == EventType::receive || event.type == EventType::message_queued;
      if (!arrives || !is_message(event) || event.peer.is_none()) continue;
      const MessageKey key = message_key(event);
      const auto found = std::lower_bound(sends.begin(), sends.end(), key,
                                          [&](const auto& send, const MessageKey& k) { return before(send.first, k); });
      if (found != sends.end() && found->first == key) cause_[i] = found->second;
    }
  }

  void go_on(std::uint32_t process) {
    Queue& queue = queues_[process];
    queue.waits = false;
    for (; queue.next < queue.events.size(); ++queue.next) {
      const std::uint32_t at = queue.events[queue.next];
      const std::uint32_t cause = cause_[at];
      if (cause != kNone && !done_[cause]) {
        queue.waits = true;
        waits_for_[cause] = process;
        return;
      }
      perform(at, queue);
    }
  }

  void perform(std::uint32_t at, Queue& queue) {
    const Event& event = events_[at];
    const CommonInstant by_clock = time_.at(event.machine, event.local_time);
    CommonInstant now = std::max(by_clock, queue.last);
    const std::uint32_t cause = cause_[at];
    const bool comparable =
        cause != kNone && time_.reference_of(events_[cause].machine) == time_.reference_of(event.machine);
    if (comparable) now = std::max(now, order_.times[cause]);
    if (now != by_clock) ++order_.moved;
    order_.times[at] = queue.last = now;
    order_.in_order.push_back(at);
    done_[at] = true;
    if (const auto waiting = waits_for_.find(at); waiting != waits_for_.end()) {
      ready_.push_back(waiting->second);
      waits_for_.erase(waiting);
    }
  }

  // The remaining processes wait for each other. The process whose clock is earliest continues without its message.
  bool break_circle() {
    Queue* earliest = nullptr;
    CommonInstant earliest_time{std::numeric_limits<std::int64_t>::max()};
    for (Queue& queue : queues_) {
      if (!queue.waits) continue;
      const Event& event = events_[queue.events[queue.next]];
      const CommonInstant time = time_.at(event.machine, event.local_time);
      if (earliest != nullptr && earliest_time <= time) continue;
      earliest = &queue;
      earliest_time = time;
    }
    if (earliest == nullptr) return false;
    std::uint32_t& cause = cause_[earliest->events[earliest->next]];
    waits_for_.erase(cause);
    cause = kNone;
    ++order_.contradictions;
    ready_.push_back(static_cast<std::uint32_t>(earliest - queues_.data()));
    return true;
  }

  std::span<const Event> events_;
  const CommonTime& time_;
  std::vector<std::uint32_t> cause_;  // of a RECEIVE or MESSAGEQUEUED: its SEND
  std::vector<Queue> queues_;         // by process
  std::vector<std::uint32_t> ready_;
  std::vector<bool> done_;
  std::unordered_map<std::uint32_t, std::uint32_t> waits_for_;  // by SEND: the process it is sent to
  CommonOrder order_;
};

}  // namespace

CommonOrder order_in_common(std::span<const Event> events, const CommonTime& time) {
  return Ordering(events, time).run();
}

}  // namespace dpm
