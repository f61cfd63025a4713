#include "analysis/parallelism/streamed_pass.hpp"

#include <algorithm>

namespace dpm {

bool StreamedPass::add(std::uint32_t process, std::span<const PassEvent> events) {
  if (process >= processes_.size()) return false;
  Process& own = processes_[process];
  const std::size_t passed = own.waits ? 0 : run(process, events);
  own.left.insert(own.left.end(), events.begin() + static_cast<std::ptrdiff_t>(passed), events.end());
  run_ready();
  return is_well_;
}

void StreamedPass::run_ready() {
  while (!ready_.empty()) {
    const std::uint32_t p = ready_.back();
    ready_.pop_back();
    Process& process = processes_[p];
    process.waits = false;
    process.next += run(p, std::span(process.left).subspan(process.next));
    if (process.next < process.left.size() && process.next < process.left.size() / 2) continue;
    process.left.erase(process.left.begin(), process.left.begin() + static_cast<std::ptrdiff_t>(process.next));
    process.next = 0;
  }
}

// Returns how many events it passed: all, or those before one that needs what has not arrived.
std::size_t StreamedPass::run(std::uint32_t p, std::span<const PassEvent> events) {
  Process& process = processes_[p];
  std::int64_t now_ns = process.time_ns, cpu_ns = 0;
  std::uint32_t place = process.place;
  std::size_t at = 0;
  for (; at < events.size(); ++at) {
    const PassEvent& event = events[at];
    const PassKind kind = event.kind();
    if (kind == PassKind::work) {
      now_ns += event.work_ns;
      cpu_ns += event.work_ns;
      place += event.place;
      continue;
    }
    if (kind == PassKind::needs) {
      const std::int64_t arrival_ns = process.arrivals.at(place, pages_);
      if (arrival_ns == ArrivalPages::kUnknown) break;
      now_ns = std::max(now_ns + event.work_ns, arrival_ns) + event.later_ns;
      cpu_ns += event.work_ns + event.later_ns;
    } else {
      now_ns += event.work_ns;
      cpu_ns += event.work_ns;
      const bool is_message = kind == PassKind::message;
      std::int64_t arrival_ns = now_ns;
      if (!is_message) arrival_ns += event.later_ns;
      if (is_message && delays_ == MessageDelays::target)
        arrival_ns = pairs_.arrive(p, event.peer, now_ns + event.later_ns);
      if (event.place != kNoEvent) let_go(event, arrival_ns);
    }
    ++place;
  }
  process.time_ns = now_ns;
  process.place = place;
  process.waits = at < events.size();
  cpu_ns_ += cpu_ns;
  return at;
}

void StreamedPass::let_go(const PassEvent& event, std::int64_t arrival_ns) {
  is_well_ &= event.peer < processes_.size() && event.kind() <= PassKind::lets_go;
  if (!is_well_) return;
  Process& peer = processes_[event.peer];
  peer.arrivals.set(event.place, arrival_ns, pages_);
  if (!peer.waits || peer.place != event.place) return;
  peer.waits = false;  // so that it is ready once
  ready_.push_back(event.peer);
}

LongestPath StreamedPass::path() const {
  LongestPath path;
  path.cpu_ns = cpu_ns_;
  for (const Process& process : processes_) {
    path.t_max_ns = std::max(path.t_max_ns, process.time_ns);
    path.not_reached += process.left.size() - process.next;
  }
  return path;
}

}  // namespace dpm
