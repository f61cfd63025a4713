#include "analysis/prediction/alternatives.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace dpm {
namespace {

// Segments of one kind can replace each other: same channels, same events.
using SegmentKind = std::pair<std::uint32_t, std::uint32_t>;

bool is_receive(const HistoryEvent& event) { return event.kind() == HistoryKind::receive; }

}  // namespace

Alternatives::Alternatives(const History& history, const Roles& roles, const Schedule& schedule)
    : history_(history), roles_(roles), performed_(history.process_count()) {
  for (std::uint32_t e = 0; e < history.events.size(); ++e) {
    if (is_receive(history.events[e]) && schedule.finished_ns[e] >= 0)
      performed_[schedule.performed_by[e]].push_back(e);
  }
  std::map<std::uint32_t, std::vector<std::uint32_t>> workers_of;
  for (std::uint32_t p = 0; p < history.process_count(); ++p) {
    auto& order = performed_[p];
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return schedule.finished_ns[a] < schedule.finished_ns[b];
    });
    if (roles.is_worker(p)) workers_of[roles.dispatcher_of[p]].push_back(p);
  }
  for (std::uint32_t p = 0; p < history.process_count(); ++p)
    if (!roles.is_worker(p)) add_unit({p}, schedule);
  for (const auto& entry : workers_of) add_unit(entry.second, schedule);
}

Alternatives::Segment Alternatives::segment_of(std::uint32_t process, std::uint32_t receive) const {
  const std::uint32_t end = history_.first_event[process + 1];
  std::uint32_t last = receive + 1;
  while (last < end && !is_receive(history_.events[last])) ++last;
  return {receive + 1, std::min(last, end - 1)};
}

// A process waits for it: for messages over certain channels only.
bool Alternatives::is_answer(const HistoryEvent& send) const { return history_.events[send.match].channel != 0; }

void Alternatives::add_unit(const std::vector<std::uint32_t>& processes, const Schedule& schedule) {
  std::map<SegmentKind, std::vector<Segment>> kinds;
  Unit unit;
  bool any_parts = false;
  for (const std::uint32_t p : processes) {
    bool parts = false;
    std::size_t turn = 0;
    const auto& performed = performed_[p];
    for (std::uint32_t e = history_.first_event[p]; e < history_.first_event[p + 1]; ++e) {
      const HistoryEvent& event = history_.events[e];
      if (is_receive(event) && schedule.finished_ns[e] >= 0) {
        parts |= turn >= performed.size() || performed[turn++] != e;
        if (!parts) continue;
        const Segment segment = segment_of(p, e);
        kinds[{event.channel, segment.last - segment.first}].push_back(segment);
      } else if (parts && event.kind() == HistoryKind::send && event.match != kNoEvent && !is_answer(event)) {
        unit.passed_on[event.peer].push_back(segment_of(event.peer, event.match));
      }
    }
    any_parts |= parts;
  }
  if (!any_parts) return;
  if (roles_.is_dispatcher(processes.front()) || unit.passed_on.size() < 2) unit.passed_on.clear();
  for (auto& entry : kinds) unit.kinds.push_back(std::move(entry.second));
  units_.push_back(std::move(unit));
}

History Alternatives::draw(Random& random) const {
  History other = history_;
  for (const Unit& unit : units_) {
    if (!random.chance(.5)) continue;
    for (const auto& segments : unit.kinds) {
      for (const Segment& to : segments) {
        const Segment& from = segments[random.below(segments.size())];
        for (std::uint32_t i = 0; to.first + i <= to.last; ++i)
          other.events[to.first + i].cpu_ns = history_.events[from.first + i].cpu_ns;
      }
    }
  }
  for (const Unit& unit : units_) {
    if (unit.passed_on.empty() || !random.chance(.5)) continue;
    std::vector<const std::vector<Segment>*> receivers;
    std::size_t messages = 0;
    for (const auto& entry : unit.passed_on) {
      receivers.push_back(&entry.second);
      messages += entry.second.size();
    }
    std::vector<std::size_t> drawn(receivers.size(), 0);
    for (std::size_t m = 0; m < messages; ++m) {
      std::size_t at = random.below(messages), receiver = 0;
      while (at >= receivers[receiver]->size()) at -= receivers[receiver++]->size();
      ++drawn[receiver];
    }
    for (std::size_t r = 0; r < receivers.size(); ++r) {
      const double share = static_cast<double>(drawn[r]) / static_cast<double>(receivers[r]->size());
      for (const Segment& segment : *receivers[r]) {
        for (std::uint32_t e = segment.first; e <= segment.last; ++e)
          other.events[e].cpu_ns =
              static_cast<std::uint64_t>(std::llround(static_cast<double>(other.events[e].cpu_ns) * share));
      }
    }
  }
  return other;
}

}  // namespace dpm
