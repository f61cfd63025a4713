#include "analysis/history/history_layout.hpp"

#include <algorithm>
#include <utility>

#include "analysis/history/circles.hpp"

namespace dpm {

bool HistoryLayout::run() {
  if (!lay_out()) return false;
  describe_processes();
  copy_events();
  join_created();
  join_waits();
  place_external_arcs();
  classify_open_ends();
  history_.circles = break_circles(history_, [this](std::uint32_t event) { return late_by(event); });
  return true;
}

bool HistoryLayout::run_without_events() {
  if (!lay_out()) return false;
  describe_processes();
  history_.waits_without_waker = build_.end_waits.without_waker();
  return true;
}

// Gives every process its place: a `start` if it was created and none was metered, its events, and an `end`.
bool HistoryLayout::lay_out() {
  const auto there = [this](std::uint32_t p) { return processes_[p].included && processes_[p].seen; };
  build_.end_waits.plan(history_.info.processes, there, [this](std::uint32_t p) { return processes_[p].ended; });
  auto& first = history_.first_event;
  first.assign(1, 0);
  std::uint64_t total = 0;
  for (std::uint32_t p = 0; p < processes_.size(); ++p) {
    const ProcessBuild& process = processes_[p];
    if (there(p)) {
      const bool needs_start = process.created_at != kNoEvent && !process.starts_with_start;
      total += process.event_count() + (needs_start ? 1 : 0) + build_.end_waits.nodes_before_end(p) + 1;
    }
    if (total >= kNoEvent) {
      build_.refused = "the trace has more than 4 billion events; analyse a part of it";
      return false;
    }
    first.push_back(static_cast<std::uint32_t>(total));
  }
  return true;
}

// The index of its first event of the trace: after a `start` that is not in the trace.
std::uint32_t HistoryLayout::first_traced(std::uint32_t process) const {
  const ProcessBuild& build = processes_[process];
  return history_.first_event[process] + (build.created_at != kNoEvent && !build.starts_with_start ? 1 : 0);
}

void HistoryLayout::describe_processes() {
  for (std::uint32_t p = 0; p < processes_.size(); ++p) {
    const ProcessBuild& process = processes_[p];
    LocalLifetime& lifetime = history_.local_lifetimes.emplace_back(process.lifetime);
    const bool one_clock = process.created_by != kNoPeer && processes_[process.created_by].machine == lifetime.machine;
    if (lifetime.seen && one_clock) lifetime.first = std::min(lifetime.first, process.creation);
    history_.looks_in_vain.push_back(process.looks_in_vain);
    LocalSpan& span = history_.local_spans.emplace_back(process.span);
    if (span.first_event != kNoEvent) span.first_event += first_traced(p), span.last_event += first_traced(p);
  }
}

void HistoryLayout::copy_events() {
  history_.events.reserve(history_.first_event.back());
  for (std::uint32_t p = 0; p < processes_.size(); ++p) {
    ProcessBuild& process = processes_[p];
    if (!process.included || !process.seen) continue;
    if (process.created_at != kNoEvent && !process.starts_with_start) {
      HistoryEvent start;
      start.kind_bits = static_cast<std::uint32_t>(HistoryKind::start) & 7u;
      history_.events.push_back(start);
    }
    for (const auto& [event, calls] : process.calls_between)
      history_.calls_between.push_back({static_cast<std::uint32_t>(history_.events.size()) + event, calls});
    for (UnmetWait wait : process.unmet_waits) {
      wait.event += static_cast<std::uint32_t>(history_.events.size());
      history_.unmet_waits.push_back(wait);
    }
    for (const auto& [event, ns] : process.pauses)
      history_.pauses.push_back({static_cast<std::uint32_t>(history_.events.size()) + event, ns});
    process.events.consume([&](HistoryEvent& event) {
      if (event.match != kNoEvent) event.match += first_traced(event.peer);
      history_.events.push_back(event);
    });
    const std::uint64_t left_ns = process.proc_time_ns - process.at_last_node_ns;
    HistoryEvent end;
    end.cpu_ns = build_.end_waits.append(p, left_ns, history_.events) ? 0 : left_ns;
    end.kind_bits = static_cast<std::uint32_t>(HistoryKind::end) & 7u;
    end.channel = process.waiting_set;
    history_.events.push_back(end);
  }
}

void HistoryLayout::join_created() {
  for (std::uint32_t p = 0; p < processes_.size(); ++p) {
    const ProcessBuild& process = processes_[p];
    if (process.created_at == kNoEvent || !process.seen) continue;
    const std::uint32_t create = first_traced(process.created_by) + process.created_at;
    const std::uint32_t start = history_.first_event[p];
    const auto proven = static_cast<std::uint32_t>(ArcKind::proven) & 7u;
    history_.events[create].match = start;
    history_.events[create].arc_bits = proven;
    history_.events[start].match = create;
    history_.events[start].peer = process.created_by & kNoPeer;
    history_.events[start].arc_bits = proven;
  }
}

void HistoryLayout::join_waits() {
  build_.end_waits.join(history_.events,
                        [this](const EndWaits::Wait& wait) { return first_traced(wait.waiter) + wait.event; });
}

void HistoryLayout::place_external_arcs() {
  for (std::size_t i = 0; i < build_.external_arcs.size(); ++i) {
    const std::uint32_t base = first_traced(build_.external_owner[i].value);
    build_.external_arcs[i].from += base;
    build_.external_arcs[i].to += base;
  }
  history_.external_arcs = std::move(build_.external_arcs);
  std::sort(history_.external_arcs.begin(), history_.external_arcs.end(),
            [](const ExternalArc& a, const ExternalArc& b) { return a.to < b.to; });
}

// An end without its other end is `outside` if the other process was never metered; otherwise it is `missing` and
// counted.
void HistoryLayout::classify_open_ends() {
  for (auto& event : history_.events) {
    const HistoryKind kind = event.kind();
    const bool message = kind == HistoryKind::send || kind == HistoryKind::receive;
    if (event.match != kNoEvent || event.arc() == ArcKind::outside || event.arc() == ArcKind::none) continue;
    const bool peer_metered = event.peer < processes_.size() && processes_[event.peer].seen;
    event.arc_bits = static_cast<std::uint32_t>(peer_metered ? ArcKind::missing : ArcKind::outside) & 7u;
    history_.waits_without_waker += kind == HistoryKind::wait;
    if (!message || !peer_metered) continue;
    ++(kind == HistoryKind::send ? history_.sends_without_receive : history_.receives_without_send);
  }
}

std::int64_t HistoryLayout::late_by(std::uint32_t event) const {
  const std::uint32_t p = history_.owner_of(event).value;
  const auto late = processes_[p].late_sends.find(event - first_traced(p));
  return late == processes_[p].late_sends.end() ? 0 : late->second;
}

}  // namespace dpm
