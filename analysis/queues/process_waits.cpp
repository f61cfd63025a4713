#include "analysis/queues/process_waits.hpp"

#include <utility>

#include "model/check.hpp"
#include "model/metered_cpu.hpp"

namespace dpm {
namespace {

// Times of leaving a processor and of events are read some hundred nanoseconds apart. A thread that lost the processor a few times and
// was never idle has some microseconds that nothing explains: 82 in 8 ms, at most, of a busy core whose host has other work too.
constexpr std::uint64_t kClocksAgreeTo = 25;

bool names_a_message(EventType type) { return type == EventType::receive || type == EventType::accept; }

std::uint64_t growth(std::uint64_t before, std::uint64_t after) {
  if (before == kNotMeasured || after == kNotMeasured || after < before) return 0;
  return after - before;
}

}  // namespace

void ProcessWaits::on_events(std::span<const Event> batch) {
  DPM_CHECK(info_ != nullptr);
  for (const Event& event : batch) {
    // A message is queued while its receiver does something else.
    if (event.process.is_none() || !event.has_ready_time() || event.type == EventType::message_queued) continue;
    if (event.process.value >= processes_.size()) processes_.resize(event.process.value + 1);
    Process& process = processes_[event.process.value];
    if (process.any && process.last.machine == event.machine) pass_time(process, event);
    process.last = event;
    process.any = true;
  }
}

WaitParts ProcessWaits::stretch_until(Process& process, const Event& event) const {
  const std::uint64_t ran_ns = cpu_between_ns(process.last, event, *info_);
  WaitParts parts;
  parts.cpu_ns = growth(process.last.ready_time_ns, event.ready_time_ns);
  parts.disk_ns = growth(process.last.disk_time_ns, event.disk_time_ns);
  const std::int64_t idle_ns = (event.local_time - process.last.local_time).ns -
                               static_cast<std::int64_t>(ran_ns + parts.cpu_ns + parts.disk_ns) - process.short_ns;
  process.short_ns = idle_ns < 0 ? -idle_ns : 0;
  parts.other_ns = idle_ns < 0 ? 0 : static_cast<std::uint64_t>(idle_ns);
  return parts;
}

void ProcessWaits::pass_time(Process& process, const Event& event) const {
  WaitParts stretch = stretch_until(process, event);
  if (event.type == EventType::receive_call && may_have_polled(event)) {
    process.before_call += stretch;
    return;
  }
  const bool is_message = names_a_message(event.type);
  const WaitParts& before = process.before_call;
  if (is_message && before.other_ns > stretch.other_ns + before.cpu_ns / kClocksAgreeTo) {
    stretch += process.before_call;
  } else {
    process.waits.working += process.before_call;
  }
  process.before_call = {};
  if (!is_message) {
    process.waits.working += stretch;
    return;
  }
  std::swap(stretch.message_ns, stretch.other_ns);
  process.waits.messages += stretch.total_ns() > 0 ? 1 : 0;
  process.waits.receiving += stretch;
}

bool ProcessWaits::may_have_polled(const Event& event) const {
  return event.process.value < info_->processes.size() && (*info_)[event.process].pid != 0;
}

void ProcessWaits::give(ByteWriter& out) {
  std::vector<Process> seen;
  for (const Process& process : processes_)
    if (process.any) seen.push_back(process);
  out.put(seen);
}

void ProcessWaits::take(ByteReader& in) {
  std::vector<Process> seen;
  in.get(seen);
  for (const Process& process : seen) {
    const std::size_t number = process.last.process.value;
    if (number >= processes_.size()) processes_.resize(number + 1);
    processes_[number] = process;
  }
}

void ProcessWaits::on_end(const LossReport& /*losses*/) {
  for (Process& process : processes_) {
    process.waits.working += process.before_call;
    process.before_call = {};
  }
  info_ = nullptr;
}

WaitsByProcess ProcessWaits::result(const TraceInfo& info, bool by_thread) const {
  WaitsByProcess waits;
  for (std::uint32_t p = 0; p < processes_.size(); ++p) {
    if (!processes_[p].any) continue;
    const ProcessId group = p < info.processes.size() ? info.processes[p].group : ProcessId{};
    const bool is_thread = !by_thread && group.value < info.processes.size();
    waits[is_thread ? group : ProcessId{p}] += processes_[p].waits;
  }
  return waits;
}

}  // namespace dpm
