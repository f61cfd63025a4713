#include "analysis/blame/line_builder.hpp"

#include <algorithm>
#include <deque>
#include <tuple>

#include "model/metered_cpu.hpp"

namespace dpm {
namespace {

constexpr std::int64_t kNotSent = INT64_MIN;  // its SEND is not known

using Message = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;  // sender, channel, number

bool is_message(const Event& event, EventType type) {
  return event.type == type && (event.flags & (event_flags::kNoMessage | event_flags::kKernelMessage)) == 0;
}

std::int64_t grown(std::uint64_t before, std::uint64_t after) {
  return before == kNotMeasured || after == kNotMeasured || after < before ? 0
                                                                           : static_cast<std::int64_t>(after - before);
}

BlameWait wait_of(WaitKind kind) {
  switch (kind) {
    case WaitKind::process_end:
      return BlameWait::process_end;
    case WaitKind::thread_end:
      return BlameWait::thread_end;
    case WaitKind::signal:
      return BlameWait::signal;
    case WaitKind::futex:
      return BlameWait::lock;
  }
  return BlameWait::signal;
}

std::vector<std::int64_t> sending_times(std::span<const Event> events, std::span<const std::int64_t> times_ns) {
  std::map<Message, std::int64_t> sends;
  for (std::size_t i = 0; i < events.size(); ++i)
    if (is_message(events[i], EventType::send))
      sends.try_emplace({events[i].process.value, events[i].channel.value, events[i].sequence}, times_ns[i]);
  std::vector<std::int64_t> sent_at(events.size(), kNotSent);
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (!is_message(events[i], EventType::receive)) continue;
    const auto found = sends.find({events[i].peer.value, events[i].channel.value, events[i].sequence});
    if (found != sends.end()) sent_at[i] = found->second;
  }
  return sent_at;
}

// Into `sent_at`, of each ACCEPT: connections between two processes are accepted in the order in which they were made.
void add_connecting_times(std::span<const Event> events, std::span<const std::int64_t> times_ns,
                          std::vector<std::int64_t>& sent_at) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<std::int64_t>> connects;  // of one with another
  for (std::size_t i = 0; i < events.size(); ++i)
    if (events[i].type == EventType::connect && !events[i].peer.is_none())
      connects[{events[i].process.value, events[i].peer.value}].push_back(times_ns[i]);
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].type != EventType::accept) continue;
    const auto made = connects.find({events[i].peer.value, events[i].process.value});
    if (made == connects.end() || made->second.empty()) continue;
    sent_at[i] = made->second.front();
    made->second.pop_front();
  }
}

std::vector<std::int64_t> ends_of_processes(std::span<const Event> events, std::span<const std::int64_t> times_ns,
                                            std::size_t processes) {
  std::vector<std::int64_t> ended_at(processes, kNotSent);
  for (std::size_t i = 0; i < events.size(); ++i)
    if (events[i].type == EventType::destroy_process && events[i].process.value < processes)
      ended_at[events[i].process.value] = times_ns[i];
  return ended_at;
}

// An idle time that ends when something was sent, or as early as it can.
std::int64_t idle_from(const ProcessGap& gap, std::int64_t idle_ns) {
  return std::clamp(gap.sent_ns, gap.from_ns + idle_ns, gap.to_ns) - idle_ns;
}

}  // namespace

LineBuilder::LineBuilder(std::span<const Event> events, std::span<const std::int64_t> times_ns, const TraceInfo& info)
    : events_(events),
      times_ns_(times_ns),
      info_(info),
      sent_at_(sending_times(events, times_ns)),
      ended_at_(ends_of_processes(events, times_ns, info.processes.size())),
      full_channels_(events, times_ns, info) {
  add_connecting_times(events, times_ns, sent_at_);
}

ProcessLine LineBuilder::line_of(std::span<const std::uint32_t> own) const {
  ProcessLine line;
  line.seen = true;
  line.first_ns = line.last_ns = times_ns_[own.front()];
  Asked asked;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const Event& event = events_[own[i]];
    line.measured &= event.has_ready_time() && event.has_disk_time();
    const std::int64_t now_ns = std::max(line.last_ns, times_ns_[own[i]]);  // a clock may be set back
    note_request(event, now_ns, asked, line.requests);
    if (i == 0) continue;
    const ProcessGap gap = gap_between(own, i, {line.last_ns, now_ns});
    line.last_ns = now_ns;
    line.ready_ns += gap.ready_ns;
    line.other_ns += gap.other_ns;
    if (gap.waits_for.is_none()) line.other_ns += gap.idle_to_ns - gap.idle_from_ns;
    line.gaps.push_back(gap);
  }
  return line;
}

void LineBuilder::note_request(const Event& event, std::int64_t now_ns, Asked& asked,
                               std::vector<BlameRequest>& requests) {
  if (is_message(event, EventType::send)) asked[event.peer.value].push_back(now_ns);
  if (!is_message(event, EventType::receive)) return;
  auto& sends = asked[event.peer.value];
  if (sends.empty()) return;
  requests.push_back({{sends.front(), now_ns}, event.peer});
  sends.clear();
}

ProcessGap LineBuilder::gap_between(std::span<const std::uint32_t> own, std::size_t i, BlameInterval interval) const {
  const Event &before = events_[own[i - 1]], &event = events_[own[i]];
  ProcessGap gap{.from_ns = interval.from_ns, .to_ns = interval.to_ns};
  std::int64_t idle_ns = interval.length_ns();
  const auto take = [&](std::int64_t most_ns) {
    const std::int64_t part_ns = std::min(most_ns, idle_ns);
    idle_ns -= part_ns;
    return part_ns;
  };
  gap.cpu_ns = take(static_cast<std::int64_t>(cpu_between_ns(before, event, info_)));
  gap.ready_ns = take(grown(before.ready_time_ns, event.ready_time_ns));
  gap.disk_ns = take(grown(before.disk_time_ns, event.disk_time_ns));
  gap.idle_from_ns = gap.from_ns;
  find_wait(gap, own, i, idle_ns);
  gap.idle_to_ns = gap.idle_from_ns + idle_ns;
  return gap;
}

void LineBuilder::find_wait(ProcessGap& gap, std::span<const std::uint32_t> own, std::size_t i,
                            std::int64_t& idle_ns) const {
  const Event &before = events_[own[i - 1]], &event = events_[own[i]];
  const bool is_measured = event.has_ready_time() && before.has_ready_time();
  if (event.type == EventType::wait && !event.peer.is_none()) return find_end(gap, event, is_measured, idle_ns);
  if (event.type == EventType::accept && !event.peer.is_none())
    return find_connection(gap, own[i], is_measured, idle_ns);
  const std::optional<std::uint32_t> receive = receive_at(own, i);
  const std::int64_t sent_ns = receive ? sent_at_[*receive] : kNotSent;
  const bool is_answered = receive && *receive == own[i] && before.type == EventType::receive_call;
  if (receive && (is_answered || (sent_ns != kNotSent && sent_ns > gap.from_ns))) {
    gap.waits_for = events_[*receive].peer;
    gap.sent_ns = sent_ns == kNotSent ? gap.to_ns : sent_ns;
    if (!is_answered) gap.idle_from_ns = idle_from(gap, idle_ns);
  } else if (!find_room(gap, own, i, is_measured, idle_ns) && !is_measured) {
    idle_ns = 0;  // it may have been ready
  }
}

// A server that was idle until a connection came waited for the one that made it.
void LineBuilder::find_connection(ProcessGap& gap, std::uint32_t accept, bool is_measured,
                                  std::int64_t& idle_ns) const {
  const std::int64_t made_ns = sent_at_[accept] == kNotSent ? gap.to_ns : sent_at_[accept];
  if (made_ns > gap.from_ns) {
    gap.waits_for = events_[accept].peer;
    gap.sent_ns = made_ns;
    gap.idle_from_ns = idle_from(gap, idle_ns);
  } else if (!is_measured) {
    idle_ns = 0;  // it may have been ready
  }
}

// Without the times of waits, the meter is one that records a SEND when it begins.
bool LineBuilder::find_room(ProcessGap& gap, std::span<const std::uint32_t> own, std::size_t i, bool is_measured,
                            std::int64_t& idle_ns) const {
  const Event& send = events_[own[is_measured ? i : i - 1]];
  if (!is_message(send, EventType::send)) return false;
  const auto room = full_channels_.room_for(send, {gap.from_ns, gap.to_ns});
  if (!room) return false;
  gap.waits_for = room->reader;
  gap.why = BlameWait::room;
  gap.sent_ns = room->made_ns;
  // Idle time after there was room was for something else, and before it all was, as far as it was idle.
  const std::int64_t waited_ns = std::min(idle_ns, room->made_ns - gap.from_ns);
  gap.other_ns = is_measured ? idle_ns - waited_ns : 0;
  idle_ns = waited_ns;
  gap.idle_from_ns = is_measured ? idle_from(gap, idle_ns) : gap.from_ns;
  return true;
}

void LineBuilder::find_end(ProcessGap& gap, const Event& wait, bool is_measured, std::int64_t& idle_ns) const {
  const auto waited_ns = static_cast<std::int64_t>(std::min<std::uint64_t>(wait.sequence, INT64_MAX));
  gap.other_ns = is_measured ? std::max<std::int64_t>(idle_ns - waited_ns, 0) : 0;
  idle_ns = std::min(idle_ns, waited_ns);
  gap.waits_for = wait.peer;
  gap.why = wait_of(static_cast<WaitKind>(wait.code));
  const bool is_end = gap.why == BlameWait::process_end || gap.why == BlameWait::thread_end;
  const std::int64_t ended_ns = is_end && wait.peer.value < ended_at_.size() ? ended_at_[wait.peer.value] : kNotSent;
  gap.sent_ns = ended_ns == kNotSent ? gap.to_ns : ended_ns;
  gap.idle_from_ns = idle_from(gap, idle_ns);
}

// The RECEIVE that ends this gap, or the RECEIVECALL before it: of a process that waited in poll(), perhaps because it had
// asked and there was nothing yet.
std::optional<std::uint32_t> LineBuilder::receive_at(std::span<const std::uint32_t> own, std::size_t i) const {
  const Event& event = events_[own[i]];
  if (is_message(event, EventType::receive)) return own[i];
  if (event.type == EventType::receive_call && i + 1 < own.size() &&
      is_message(events_[own[i + 1]], EventType::receive))
    return own[i + 1];
  return std::nullopt;
}

}  // namespace dpm
