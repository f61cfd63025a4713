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

double width_of(const ClockPair& pair) {
  double width = std::numeric_limits<double>::infinity();
  for (const ClockPiece& piece : pair.pieces)
    width = std::min(width, piece.bounds.offset_at(piece.from.ns + (piece.to.ns - piece.from.ns) / 2).width());
  return width;
}

}  // namespace

// A spanning tree of the narrowest pairs, grown from the lowest machine of each group.
CommonTime::CommonTime(const Clocks& clocks) : pairs_(clocks.pairs), steps_(clocks.tick_ns.size()) {
  std::vector<const ClockPair*> by_width;
  for (const ClockPair& pair : pairs_)
    if (!pair.pieces.empty()) by_width.push_back(&pair);
  std::stable_sort(by_width.begin(), by_width.end(),
                   [](const auto* x, const auto* y) { return width_of(*x) < width_of(*y); });
  for (std::size_t m = 0; m < steps_.size(); ++m) {
    const MachineId root{static_cast<std::uint16_t>(m)};
    if (!steps_[m].reference.is_none()) continue;
    steps_[m].reference = root;
    const auto next = [&] {
      return std::find_if(by_width.begin(), by_width.end(), [&](const ClockPair* pair) {
        return (steps_[pair->a.value].reference == root) != (steps_[pair->b.value].reference == root);
      });
    };
    for (auto found = next(); found != by_width.end(); found = next()) {
      const bool a_is_in = steps_[(*found)->a.value].reference == root;
      const MachineId in = a_is_in ? (*found)->a : (*found)->b, added = a_is_in ? (*found)->b : (*found)->a;
      steps_[added.value] = {root, in, *found};
    }
  }
}

std::int64_t CommonTime::to_previous(const Step& step, MachineId machine, std::int64_t time_ns) const {
  const auto& pieces = step.pair->pieces;
  if (step.pair->a == machine) {
    std::size_t at = 0;
    while (at + 1 < pieces.size() && pieces[at + 1].from.ns <= time_ns) ++at;
    return clock_reading_ns(time_ns, pieces[at].bounds.base_ns(), pieces[at].bounds.middle_at(time_ns));
  }
  const auto by_b = [&](const ClockPiece& piece, std::int64_t by_a) {
    return clock_reading_ns(by_a, piece.bounds.base_ns(), piece.bounds.middle_at(by_a));
  };
  std::size_t at = 0;
  while (at + 1 < pieces.size() && by_b(pieces[at + 1], pieces[at + 1].from.ns) <= time_ns) ++at;
  const ClockBounds& bounds = pieces[at].bounds;
  // Solves t + base + middle(t) = time, where middle is a line.
  const std::int64_t guess = clock_reading_ns(time_ns, -bounds.base_ns(), 0);
  return clock_reading_ns(guess, 0, -bounds.middle_at(guess) / (1 + bounds.middle_drift()));
}

CommonInstant CommonTime::at(MachineId machine, LocalTime time) const {
  std::int64_t ns = time.ns;
  for (const Step* step = &steps_.at(machine.value); step->pair != nullptr; step = &steps_[machine.value]) {
    ns = to_previous(*step, machine, ns);
    machine = step->previous;
  }
  return {ns};
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
      if (event.type == EventType::send && is_message(event))
        sends.push_back({{event.sequence, event.process.value, event.channel.value}, i});
    }
    std::sort(sends.begin(), sends.end(), [&](const auto& a, const auto& b) { return before(a.first, b.first); });
    for (std::uint32_t i = 0; i < events_.size(); ++i) {
      const Event& event = events_[i];
      const bool arrives = event.type == EventType::receive || event.type == EventType::message_queued;
      if (!arrives || !is_message(event) || event.peer.is_none()) continue;
      const MessageKey key{event.sequence, event.peer.value, event.channel.value};
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
