#include "analysis/blame/blame.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "model/check.hpp"

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

std::int64_t& part_of(BlameNode& node, BlamePart part) { return node.parts_ns[static_cast<std::size_t>(part)]; }

// The share of an amount that is spread evenly over `whole`, up to `at`. Shares of neighbouring parts add up exactly.
std::int64_t share_until(std::int64_t amount, std::int64_t at, std::int64_t whole) {
  if (whole == 0) return 0;
  return static_cast<std::int64_t>(static_cast<__int128>(amount) * at / whole);
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

// When the message of each RECEIVE was sent.
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

std::vector<std::int64_t> ends_of_processes(std::span<const Event> events, std::span<const std::int64_t> times_ns,
                                            std::size_t processes) {
  std::vector<std::int64_t> ended_at(processes, kNotSent);
  for (std::size_t i = 0; i < events.size(); ++i)
    if (events[i].type == EventType::destroy_process && events[i].process.value < processes)
      ended_at[events[i].process.value] = times_ns[i];
  return ended_at;
}

// Of a state that is not a wait for another process.
BlamePart part_of_state(SampledState state) {
  switch (state) {
    case SampledState::runs:
      return BlamePart::cpu;
    case SampledState::queues:
      return BlamePart::cpu_queue;
    case SampledState::disk:
      return BlamePart::disk;
    case SampledState::lock:
      return BlamePart::lock;
    case SampledState::timer:
      return BlamePart::timer;
    case SampledState::none:
      return BlamePart::not_split;
    case SampledState::waits:
    case SampledState::other:
      break;
  }
  return BlamePart::other;
}

}  // namespace

std::int64_t BlameNode::total_ns() const {
  std::int64_t total = 0;
  for (const std::int64_t part : parts_ns) total += part;
  for (const BlameNode& child : waits) total += child.total_ns();
  return total;
}

BlameAnalysis::BlameAnalysis(std::span<const Event> events, std::span<const std::int64_t> times_ns,
                             const TraceInfo& info, BlameOptions options)
    : events_(events), times_ns_(times_ns), options_(options), lines_(info.processes.size()) {
  DPM_CHECK(events.size() == times_ns.size());
  const std::vector<std::int64_t> sent_at = sending_times(events, times_ns);
  std::vector<std::vector<std::uint32_t>> own(lines_.size());
  for (std::uint32_t i = 0; i < events.size(); ++i)
    if (events[i].process.value < own.size() && events[i].type != EventType::message_queued)
      own[events[i].process.value].push_back(i);
  const std::vector<std::int64_t> ended_at = ends_of_processes(events, times_ns, lines_.size());
  for (std::uint32_t p = 0; p < lines_.size(); ++p)
    if (!own[p].empty()) build(ProcessId{p}, own[p], sent_at, ended_at);
  find_contention(info);
  for (const WaitCause& cause : info.wait_causes)
    if (cause.process.value < lines_.size()) lines_[cause.process.value].causes.push_back(cause);
}

void BlameAnalysis::build(ProcessId process, std::span<const std::uint32_t> own, Times sent_at, Times ended_at) {
  Line& line = lines_[process.value];
  line.seen = true;
  line.first_ns = line.last_ns = times_ns_[own.front()];
  std::map<std::uint32_t, std::vector<std::int64_t>> asked;  // by peer: SENDs that no answer followed yet
  for (std::size_t i = 0; i < own.size(); ++i) {
    const Event& event = events_[own[i]];
    line.measured &= event.has_ready_time() && event.has_disk_time();
    const std::int64_t now_ns = std::max(line.last_ns, times_ns_[own[i]]);  // a clock may be set back
    if (is_message(event, EventType::send)) asked[event.peer.value].push_back(now_ns);
    if (is_message(event, EventType::receive)) {
      if (auto& sends = asked[event.peer.value]; !sends.empty()) {
        line.requests.push_back({sends.front(), now_ns});
        sends.clear();
      }
    }
    if (i == 0) continue;
    const Event& before = events_[own[i - 1]];
    Gap gap{.from_ns = line.last_ns, .to_ns = now_ns};
    line.last_ns = now_ns;
    const std::int64_t elapsed_ns = gap.to_ns - gap.from_ns;
    gap.cpu_ns = std::min(grown(before.proc_time_ns, event.proc_time_ns), elapsed_ns);
    gap.ready_ns = std::min(grown(before.ready_time_ns, event.ready_time_ns), elapsed_ns - gap.cpu_ns);
    gap.disk_ns = std::min(grown(before.disk_time_ns, event.disk_time_ns), elapsed_ns - gap.cpu_ns - gap.ready_ns);
    const std::int64_t busy_ns = gap.cpu_ns + gap.ready_ns + gap.disk_ns;
    std::int64_t idle_ns = elapsed_ns - busy_ns;
    gap.idle_from_ns = gap.from_ns;
    find_wait(gap, own, i, sent_at, ended_at, idle_ns);
    line.ready_ns += gap.ready_ns;
    if (gap.waits_for.is_none()) line.other_ns += idle_ns;
    line.other_ns += gap.other_ns;
    gap.idle_to_ns = gap.idle_from_ns + idle_ns;
    line.gaps.push_back(gap);
  }
}

void BlameAnalysis::find_wait(Gap& gap, std::span<const std::uint32_t> own, std::size_t i, Times sent_at,
                              Times ended_at, std::int64_t& idle_ns) const {
  const Event &before = events_[own[i - 1]], &event = events_[own[i]];
  const bool is_measured = event.has_ready_time() && before.has_ready_time();
  if (event.type == EventType::wait && !event.peer.is_none()) {
    const auto waited_ns = static_cast<std::int64_t>(std::min<std::uint64_t>(event.sequence, INT64_MAX));
    gap.other_ns = is_measured ? std::max<std::int64_t>(idle_ns - waited_ns, 0) : 0;
    idle_ns = std::min(idle_ns, waited_ns);
    gap.waits_for = event.peer;
    gap.why = wait_of(static_cast<WaitKind>(event.code));
    const bool is_end = gap.why == BlameWait::process_end || gap.why == BlameWait::thread_end;
    const std::int64_t ended_ns = is_end && event.peer.value < ended_at.size() ? ended_at[event.peer.value] : kNotSent;
    gap.sent_ns = ended_ns == kNotSent ? gap.to_ns : ended_ns;
    gap.idle_from_ns = std::clamp(gap.sent_ns, gap.from_ns + idle_ns, gap.to_ns) - idle_ns;
    return;
  }
  // The RECEIVE that ends this gap, or the RECEIVECALL before it: of a process that waited in poll(), perhaps because it had
  // asked and there was nothing yet.
  std::optional<std::uint32_t> receive;
  if (is_message(event, EventType::receive)) receive = own[i];
  if (event.type == EventType::receive_call && i + 1 < own.size() &&
      is_message(events_[own[i + 1]], EventType::receive))
    receive = own[i + 1];
  const std::int64_t sent_ns = receive ? sent_at[*receive] : kNotSent;
  const bool is_answered = receive && *receive == own[i] && before.type == EventType::receive_call;
  if (receive && (is_answered || (sent_ns != kNotSent && sent_ns > gap.from_ns))) {
    gap.waits_for = events_[*receive].peer;
    gap.sent_ns = sent_ns == kNotSent ? gap.to_ns : sent_ns;
    if (!is_answered) gap.idle_from_ns = std::clamp(sent_ns, gap.from_ns + idle_ns, gap.to_ns) - idle_ns;
  } else if (!is_measured) {
    idle_ns = 0;  // it may have been ready
  }
}

std::optional<ProcessId> BlameAnalysis::longest() const {
  std::optional<ProcessId> longest;
  std::int64_t longest_ns = -1;
  for (std::uint32_t p = 0; p < lines_.size(); ++p) {
    const std::int64_t life_ns = lines_[p].last_ns - lines_[p].first_ns;
    if (!lines_[p].seen || life_ns <= longest_ns) continue;
    longest_ns = life_ns;
    longest = ProcessId{p};
  }
  return longest;
}

std::optional<BlameAnalysis::Interval> BlameAnalysis::lifetime(ProcessId process) const {
  if (process.value >= lines_.size() || !lines_[process.value].seen) return std::nullopt;
  return Interval{lines_[process.value].first_ns, lines_[process.value].last_ns};
}

std::size_t BlameAnalysis::requests(ProcessId process) const {
  return process.value < lines_.size() ? lines_[process.value].requests.size() : 0;
}

std::optional<BlameAnalysis::Interval> BlameAnalysis::request(ProcessId process, std::size_t number) const {
  if (number == 0 || number > requests(process)) return std::nullopt;
  return lines_[process.value].requests[number - 1];
}

bool BlameAnalysis::is_measured(ProcessId process) const {
  return process.value < lines_.size() && lines_[process.value].seen && lines_[process.value].measured;
}

BlameNode BlameAnalysis::divide(ProcessId process, Interval interval) const {
  BlameNode node;
  node.process = process;
  add(node, interval, {process, nullptr, 0});
  name_rivals(node);
  sort_longest_first(node);
  return node;
}

void BlameAnalysis::find_contention(const TraceInfo& info) {
  for (std::uint32_t p = 0; p < lines_.size(); ++p) {
    Line& line = lines_[p];
    line.machine = info.processes[p].machine;
    for (const Gap& gap : line.gaps) {
      // Each part has its share of what the gap wants; the idle time between them wants nothing.
      const std::int64_t wanted_ns = gap.cpu_ns + gap.ready_ns, busy_ns = gap.busy_ns();
      for (const Interval part : {Interval{gap.from_ns, gap.idle_from_ns}, {gap.idle_to_ns, gap.to_ns}})
        contention_.add(line.machine, part.from_ns, part.to_ns,
                        share_until(wanted_ns, part.to_ns - part.from_ns, busy_ns));
    }
  }
  for (std::uint16_t machine = 0; machine < info.machines.size(); ++machine)
    contention_.settle(MachineId{machine}, info.machines[machine].cores);
}

std::int64_t BlameAnalysis::Gap::busy_until(std::int64_t at_ns) const {
  return at_ns - from_ns - (at_ns > idle_from_ns ? std::min(at_ns, idle_to_ns) - idle_from_ns : 0);
}

// Where the CPU was contended first; what is longer than that, other programs must have caused, at any time.
std::int64_t BlameAnalysis::queued_until(const Gap& gap, MachineId machine, std::int64_t at_ns) const {
  const std::int64_t at = gap.busy_until(at_ns), busy_ns = gap.busy_ns();
  if (at <= 0 || gap.ready_ns == 0) return 0;
  if (at >= busy_ns) return gap.ready_ns;
  const auto lacked = [&](std::int64_t from_ns, std::int64_t to_ns) {
    return contention_.lacked_until_ns(machine, to_ns) - contention_.lacked_until_ns(machine, from_ns);
  };
  const auto lacked_until = [&](std::int64_t until_ns) {
    const double idle = until_ns > gap.idle_from_ns ? lacked(gap.idle_from_ns, std::min(until_ns, gap.idle_to_ns)) : 0;
    return lacked(gap.from_ns, until_ns) - idle;
  };
  const auto ready = static_cast<double>(gap.ready_ns);
  const double whole = lacked_until(gap.to_ns), part = lacked_until(at_ns);
  double queued = ready < whole ? part * ready / whole : part;
  if (ready > whole)
    queued += (static_cast<double>(at) - part) * (ready - whole) / (static_cast<double>(busy_ns) - whole);
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(queued), 0, std::min(at, gap.ready_ns));
}

// A part of the gap that has nothing of its idle time. What the gap did besides queueing is spread evenly over the rest.
void BlameAnalysis::divide_busy(const Gap& gap, MachineId machine, Interval part, BlameNode& node) const {
  const std::int64_t queued_from = queued_until(gap, machine, part.from_ns);
  const std::int64_t queued_to = queued_until(gap, machine, part.to_ns);
  part_of(node, BlamePart::cpu_queue) += queued_to - queued_from;
  const std::int64_t rest_ns = gap.busy_ns() - gap.ready_ns;
  const std::int64_t from = gap.busy_until(part.from_ns) - queued_from, to = gap.busy_until(part.to_ns) - queued_to;
  std::int64_t left_ns = to - from;
  const auto take = [&](std::int64_t until_from, std::int64_t until_to, BlamePart kind) {
    part_of(node, kind) += until_to - until_from;
    left_ns -= until_to - until_from;
  };
  // Each bound is of the amounts so far, so that rounding leaves no remainder.
  std::int64_t sum_ns = 0, before_from = 0, before_to = 0;
  for (const auto& [amount_ns, kind] :
       {std::pair{gap.cpu_ns, BlamePart::cpu}, {gap.disk_ns, BlamePart::disk}, {gap.other_ns, BlamePart::other}}) {
    sum_ns += amount_ns;
    const std::int64_t at_from = share_until(sum_ns, from, rest_ns), at_to = share_until(sum_ns, to, rest_ns);
    take(at_from - before_from, at_to - before_to, kind);
    before_from = at_from;
    before_to = at_to;
  }
  part_of(node, BlamePart::not_split) += left_ns;
}

// In the proportions of the whole life of the process. What the causes leave of a part stays as it is.
void BlameAnalysis::name_rivals(BlameNode& node) const {
  for (BlameNode& child : node.waits) name_rivals(child);
  if (node.process.value >= lines_.size()) return;
  const Line& line = lines_[node.process.value];
  const auto sum_of = [&line](bool cpu) {
    std::int64_t sum_ns = 0;
    for (const WaitCause& cause : line.causes)
      if ((cause.reason == WaitReason::cpu) == cpu) sum_ns += static_cast<std::int64_t>(cause.time_ns);
    return sum_ns;
  };
  const std::int64_t ready_ns = std::max(line.ready_ns, sum_of(true)), idle_ns = std::max(line.other_ns, sum_of(false));
  const std::int64_t queue_ns = node.of(BlamePart::cpu_queue), other_ns = node.of(BlamePart::other);
  for (const WaitCause& cause : line.causes) {
    const auto cause_ns = static_cast<std::int64_t>(cause.time_ns);
    const bool is_cpu = cause.reason == WaitReason::cpu;
    const std::int64_t share_ns =
        is_cpu ? share_until(queue_ns, cause_ns, ready_ns) : share_until(other_ns, cause_ns, idle_ns);
    if (share_ns == 0) continue;
    const BlamePart part = is_cpu                             ? BlamePart::cpu_queue
                           : cause.reason == WaitReason::lock ? BlamePart::lock
                                                              : BlamePart::timer;
    if (!is_cpu) {
      part_of(node, BlamePart::other) -= share_ns;
      part_of(node, part) += share_ns;
    }
    if (part == BlamePart::timer || (cause.other.is_none() && cause.name.empty())) continue;
    const auto known = std::find_if(node.rivals.begin(), node.rivals.end(), [&](const BlameRival& rival) {
      return rival.part == part && rival.process == cause.other && rival.name == cause.name;
    });
    if (known != node.rivals.end())
      known->time_ns += share_ns;
    else
      node.rivals.push_back({part, cause.other, cause.name, share_ns});
  }
  std::stable_sort(node.rivals.begin(), node.rivals.end(),
                   [](const BlameRival& a, const BlameRival& b) { return a.time_ns > b.time_ns; });
}

BlameNode& BlameAnalysis::waited_for(BlameNode& node, ProcessId process, BlameWait why) {
  for (BlameNode& known : node.waits)
    if (known.process == process && known.why == why) return known;
  node.waits.push_back({});
  node.waits.back().process = process;
  node.waits.back().why = why;
  return node.waits.back();
}

void BlameAnalysis::sort_longest_first(BlameNode& node) {
  for (BlameNode& child : node.waits) sort_longest_first(child);
  std::stable_sort(node.waits.begin(), node.waits.end(),
                   [](const BlameNode& a, const BlameNode& b) { return a.total_ns() > b.total_ns(); });
}

bool BlameAnalysis::is_circle(ProcessId process, const Waiting& waiting) const {
  bool is_circle = waiting.depth >= options_.depth_max;
  for (const Waiting* above = &waiting; above != nullptr; above = above->above) is_circle |= above->process == process;
  return is_circle;
}

const BlameAnalysis::Gap* BlameAnalysis::gap_at(ProcessId process, std::int64_t at_ns) const {
  if (process.value >= lines_.size()) return nullptr;
  const auto& gaps = lines_[process.value].gaps;
  const auto gap =
      std::partition_point(gaps.begin(), gaps.end(), [&](const Gap& earlier) { return earlier.to_ns <= at_ns; });
  return gap == gaps.end() || gap->from_ns > at_ns ? nullptr : &*gap;
}

void BlameAnalysis::add(BlameNode& node, Interval interval, const Waiting& waiting) const {
  if (interval.to_ns <= interval.from_ns) return;
  const ProcessId process = node.process;
  if (process.value >= lines_.size() || !lines_[process.value].seen) {
    part_of(node, BlamePart::not_seen) += interval.to_ns - interval.from_ns;
    return;
  }
  const Line& line = lines_[process.value];
  const auto clip = [&](std::int64_t from_ns, std::int64_t to_ns) {
    const std::int64_t from = std::max(from_ns, interval.from_ns);
    return Interval{from, std::max(from, std::min(to_ns, interval.to_ns))};
  };
  const auto length = [](Interval part) { return part.to_ns - part.from_ns; };
  part_of(node, BlamePart::not_seen) += length(clip(interval.from_ns, std::min(line.first_ns, interval.to_ns)));
  if (line.last_ns < interval.to_ns)
    part_of(node, BlamePart::not_seen) += length(clip(std::max(line.last_ns, interval.from_ns), interval.to_ns));
  auto gap = std::partition_point(line.gaps.begin(), line.gaps.end(),
                                  [&](const Gap& earlier) { return earlier.to_ns <= interval.from_ns; });
  for (; gap != line.gaps.end() && gap->from_ns < interval.to_ns; ++gap) {
    for (const Interval part : {clip(gap->from_ns, gap->idle_from_ns), clip(gap->idle_to_ns, gap->to_ns)})
      if (length(part) > 0) divide_busy(*gap, line.machine, part, node);
    const Interval idle = clip(gap->idle_from_ns, gap->idle_to_ns);
    if (length(idle) == 0) continue;
    if (gap->waits_for.is_none()) {
      part_of(node, BlamePart::other) += length(idle);
      continue;
    }
    BlameNode& other = waited_for(node, gap->waits_for, gap->why);
    ++other.times;
    const std::int64_t sent_ns = std::clamp(gap->sent_ns, idle.from_ns, idle.to_ns);
    part_of(other, BlamePart::on_its_way) += idle.to_ns - sent_ns;
    const Interval others{idle.from_ns, sent_ns};
    if (is_circle(other.process, waiting)) {
      part_of(other, BlamePart::not_followed) += length(others);
    } else {
      add(other, others, {other.process, &waiting, waiting.depth + 1});
    }
  }
}

// ---- from samples
//
// At each instant the messages say which process is waited for, and the samples what the last of them did.
//
//     client     ──SEND──RECEIVECALL▒▒▒▒▒▒▒▒▒▒▒▒▒▒RECEIVE──     found waiting for a message; the trace says: of server
//     server     ─────────────────────────────SEND──            found in the queue of a CPU
//                                     │
//                                     the sample belongs to "waits for server", "in the queue of the CPU"
//
// So each sample belongs to one part of the tree. The number of samples in a part is binomial, if they are independent.
SampledBlame BlameAnalysis::divide(ProcessId process, Interval interval, const SampledStates& states) const {
  SampledBlame found;
  found.root.process = process;
  const auto times = states.times_ns();
  const auto first = std::lower_bound(times.begin(), times.end(), interval.from_ns);
  const auto last = std::lower_bound(first, times.end(), interval.to_ns);
  found.samples = static_cast<std::uint64_t>(last - first);
  // Each sample stands for the same time, to the nanosecond: all parts add up to the interval.
  const std::int64_t whole_ns = interval.to_ns - interval.from_ns;
  const auto until = [&](std::uint64_t sample) {
    const auto samples = static_cast<std::int64_t>(found.samples), number = static_cast<std::int64_t>(sample);
    return whole_ns / samples * number + whole_ns % samples * number / samples;
  };
  for (std::uint64_t i = 0; i < found.samples; ++i) {
    const std::size_t sample = static_cast<std::size_t>(first - times.begin()) + i;
    look(found.root, {sample, until(i + 1) - until(i)}, {process, nullptr, 0}, states);
  }
  sort_longest_first(found.root);
  return found;
}

void BlameAnalysis::look(BlameNode& node, const Instant& instant, const Waiting& waiting,
                         const SampledStates& states) const {
  const auto [state, seen_ns] = states.at(node.process, instant.sample);
  const Gap* gap = gap_at(node.process, seen_ns);
  if (gap == nullptr) {
    part_of(node, BlamePart::not_seen) += instant.weight_ns;
    return;
  }
  // What was not looked at waits where the trace says that it waited, and is unknown elsewhere.
  const bool is_idle = seen_ns >= gap->idle_from_ns && seen_ns < gap->idle_to_ns;
  const bool may_wait =
      state == SampledState::waits || (state == SampledState::none && is_idle) ||
      (state == SampledState::lock && (gap->why == BlameWait::lock || gap->why == BlameWait::thread_end));
  if (!may_wait || gap->waits_for.is_none()) {
    part_of(node, part_of_state(state)) += instant.weight_ns;
    return;
  }
  BlameNode& other = waited_for(node, gap->waits_for, gap->why);
  ++other.times;
  if (seen_ns >= gap->sent_ns)
    part_of(other, BlamePart::on_its_way) += instant.weight_ns;
  else if (is_circle(other.process, waiting))
    part_of(other, BlamePart::not_followed) += instant.weight_ns;
  else
    look(other, instant, {other.process, &waiting, waiting.depth + 1}, states);
}

}  // namespace dpm
