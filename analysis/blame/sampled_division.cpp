#include "analysis/blame/sampled_division.hpp"

#include <algorithm>

namespace dpm {
namespace {

// Of a state that is not a wait for another process.
BlamePart part_of(SampledState state) {
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
    case SampledState::signal:
      return BlamePart::signal;
    case SampledState::none:
      return BlamePart::not_split;
    case SampledState::waits:
    case SampledState::other:
      break;
  }
  return BlamePart::other;
}

// In intervals: samples that are farther apart do not cover the time between them. A sampler that shares its CPU is late by some
// intervals now and then.
constexpr std::int64_t kLateMost = 4;

// What was not looked at waits where the trace says that it waited, and is unknown elsewhere.
bool may_wait(SampledState state, std::int64_t seen_ns, const ProcessGap& gap) {
  if (gap.waits_for.is_none()) return false;
  if (gap.why == BlameWait::room && seen_ns >= gap.sent_ns) return false;  // what it waits for since then is not known
  switch (state) {
    case SampledState::waits:
      return true;
    case SampledState::none:
      return seen_ns >= gap.idle_from_ns && seen_ns < gap.idle_to_ns;
    case SampledState::lock:
      return gap.why == BlameWait::lock || gap.why == BlameWait::thread_end;
    case SampledState::signal:
      return gap.why == BlameWait::signal;
    default:
      return false;
  }
}

}  // namespace

SampledBlame SampledDivision::divide(ProcessId process, BlameInterval interval) const {
  SampledBlame found;
  found.root.process = process;
  const auto times = states_.times_ns();
  const auto first = std::lower_bound(times.begin(), times.end(), interval.from_ns);
  const auto last = std::lower_bound(first, times.end(), interval.to_ns);
  found.samples = static_cast<std::uint64_t>(last - first);
  if (found.samples == 0) return found;
  // Each sample stands for the same time, to the nanosecond: all parts add up to the interval.
  const std::int64_t whole_ns = covered_ns(interval, static_cast<std::size_t>(first - times.begin()), found.samples);
  const auto until = [&](std::uint64_t sample) {
    const auto samples = static_cast<std::int64_t>(found.samples), number = static_cast<std::int64_t>(sample);
    return whole_ns / samples * number + whole_ns % samples * number / samples;
  };
  for (std::uint64_t i = 0; i < found.samples; ++i) {
    const std::size_t sample = static_cast<std::size_t>(first - times.begin()) + i;
    look(found.root, {sample, until(i + 1) - until(i)}, {process});
  }
  found.root.of(BlamePart::not_sampled) += interval.length_ns() - whole_ns;
  return found;
}

std::int64_t SampledDivision::covered_ns(BlameInterval interval, std::size_t first, std::uint64_t samples) const {
  const std::int64_t interval_ns = states_.interval_ns();
  if (interval_ns <= 0) return interval.length_ns();
  const auto times = states_.times_ns().subspan(first, samples);
  std::int64_t covered_ns = 0;
  // `sides`: how many ends of a stretch without a sample are samples, which stand for half an interval each.
  const auto add = [&](std::int64_t from_ns, std::int64_t to_ns, std::int64_t sides) {
    const std::int64_t stretch_ns = to_ns - from_ns;
    covered_ns += stretch_ns > kLateMost * interval_ns ? sides * interval_ns / 2 : stretch_ns;
  };
  add(interval.from_ns, times.front(), 1);
  for (std::size_t i = 1; i < times.size(); ++i) add(times[i - 1], times[i], 2);
  add(times.back(), interval.to_ns, 1);
  return covered_ns;
}

void SampledDivision::look(BlameNode& node, const Instant& instant, const WaitingChain& waiting) const {
  const auto [state, seen_ns] = states_.at(node.process, instant.sample);
  const ProcessGap* gap = gap_at(node.process, seen_ns);
  if (gap == nullptr) {
    node.of(BlamePart::not_seen) += instant.weight_ns;
    return;
  }
  if (!may_wait(state, seen_ns, *gap)) {
    node.of(part_of(state)) += instant.weight_ns;
    return;
  }
  BlameNode& other = node.waited_for(gap->waits_for, gap->why);
  ++other.times;
  if (seen_ns >= gap->sent_ns)
    other.of(BlamePart::on_its_way) += instant.weight_ns;
  else if (waiting.depth >= depth_max_ || waiting.has(other.process))
    other.of(BlamePart::not_followed) += instant.weight_ns;
  else
    look(other, instant, waiting.with(other.process));
}

const ProcessGap* SampledDivision::gap_at(ProcessId process, std::int64_t at_ns) const {
  return process.value < lines_.size() ? lines_[process.value].gap_at(at_ns) : nullptr;
}

}  // namespace dpm
