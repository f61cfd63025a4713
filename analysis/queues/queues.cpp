#include "analysis/queues/queues.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/check.hpp"
#include "model/floor_divide.hpp"
#include "model/metered_cpu.hpp"

namespace dpm {
namespace {

std::string name_of(const TraceInfo& info, ProcessId process) {
  if (process.value < info.processes.size()) return info[process].name;
  return std::string("#").append(std::to_string(process.value));
}

// The members that are plain numbers, in one order for both directions.
template <typename Statistics, typename Visit>
void visit_numbers(Statistics& statistics, Visit&& visit) {
  visit(statistics.process);
  visit(statistics.in_computation);
  visit(statistics.measured);
  visit(statistics.queued);
  visit(statistics.received);
  visit(statistics.length_max);
  visit(statistics.length_mean);
  visit(statistics.length_mean_by_operation);
  visit(statistics.time_share);
  visit(statistics.meanwhile);
  visit(statistics.series);
  visit(statistics.observed);
  visit(statistics.still_queued);
  visit(statistics.receives_without_queued);
  visit(statistics.waits_across_machines);
  visit(statistics.clock_went_back);
}

}  // namespace

QueueAnalysis::Queue& QueueAnalysis::queue(ProcessId process) {
  if (process.value >= queues_.size()) queues_.resize(process.value + 1);
  return queues_[process.value];
}

void QueueAnalysis::on_events(std::span<const Event> batch) {
  DPM_CHECK(info_ != nullptr);
  for (const Event& event : batch) {
    if (event.process.is_none()) continue;
    Queue& queue_now = queue(event.process);
    pass_time(queue_now, event);
    auto& statistics = queue_now.statistics;
    const MessageKey message = message_key(event);
    // Moved by the kernel, or the rest of a message taken before: never in a queue.
    if ((event.flags & (event_flags::kKernelMessage | event_flags::kNoMessage)) != 0) continue;

    if (event.type == EventType::message_queued) {
      ++statistics.queued;
      queue_now.waiting[message] = {event.local_time, event.machine, event.proc_time_ns, event.ready_time_ns,
                                    event.disk_time_ns};
      operate(queue_now);
    } else if (event.type == EventType::receive) {
      ++statistics.received;
      const auto found = queue_now.waiting.find(message);
      if (found == queue_now.waiting.end()) {
        ++statistics.receives_without_queued;
        continue;
      }
      Arrival arrival = found->second;
      queue_now.waiting.erase(found);
      const std::uint64_t ran_ns =
          cpu_between_ns(arrival.ran_ns, event.proc_time_ns, was_acquired(*info_, event.process));
      arrival.ran_ns = event.proc_time_ns - std::min(ran_ns, event.proc_time_ns);
      operate(queue_now);
      if (arrival.machine != event.machine) {
        ++statistics.waits_across_machines;
      } else {
        add_wait(statistics, arrival, event);
      }
    }
  }
}

void QueueAnalysis::add_wait(QueueStatistics& statistics, const Arrival& arrival, const Event& receive) {
  const auto wait_ns = static_cast<std::uint64_t>(std::max<std::int64_t>(0, (receive.local_time - arrival.when).ns));
  statistics.waits.add(wait_ns);
  if (arrival.ready_ns == kNotMeasured || !receive.has_ready_time()) return;
  // Clocks are rounded: no part is longer than what is left of the wait.
  std::uint64_t left_ns = wait_ns;
  const auto part = [&left_ns](std::uint64_t before, std::uint64_t after) {
    if (before == kNotMeasured || after == kNotMeasured || after < before) return std::uint64_t{0};
    const std::uint64_t part_ns = std::min(after - before, left_ns);
    left_ns -= part_ns;
    return part_ns;
  };
  WaitParts parts;
  parts.cpu_ns = part(arrival.ready_ns, receive.ready_time_ns);
  parts.disk_ns = part(arrival.disk_ns, receive.disk_time_ns);
  parts.ran_ns = part(arrival.ran_ns, receive.proc_time_ns);
  parts.other_ns = left_ns;
  if (!statistics.meanwhile) statistics.meanwhile.emplace();
  *statistics.meanwhile += parts;
}

// The queue has had its present length since the process's last event.
void QueueAnalysis::pass_time(Queue& queue, const Event& event) {
  if (!queue.any) {
    queue.any = true;
    queue.series_machine = event.machine;
  } else if (queue.last_machine == event.machine) {
    const std::int64_t passed_ns = (event.local_time - queue.last_time).ns;
    if (passed_ns < 0) {
      ++queue.statistics.clock_went_back;
    } else if (passed_ns > 0) {
      const std::size_t length = queue.waiting.size();
      const std::size_t entry = std::min(length, options_.lengths_max);
      if (entry >= queue.time_at_length_ns.size()) queue.time_at_length_ns.resize(entry + 1, 0);
      queue.time_at_length_ns[entry] += static_cast<std::uint64_t>(passed_ns);
      queue.length_ns += static_cast<double>(length) * static_cast<double>(passed_ns);
      queue.statistics.observed.ns += passed_ns;
      if (queue.series_machine == event.machine) {
        extend_series(queue, queue.last_time, event.local_time, static_cast<std::uint32_t>(length));
      }
    }
  }
  queue.last_time = event.local_time;
  queue.last_machine = event.machine;
}

void QueueAnalysis::operate(Queue& queue) {
  const auto length = static_cast<std::uint32_t>(queue.waiting.size());
  queue.statistics.length_max = std::max(queue.statistics.length_max, length);
  ++queue.operations;
  queue.operation_lengths += length;
}

void QueueAnalysis::double_width(Series& series) {
  Series joined;
  joined.width_ns = series.width_ns * 2;
  joined.first_index = floor_divide(series.first_index, 2);
  for (std::size_t i = 0; i < series.length_ns.size(); ++i) {
    const auto at = static_cast<std::size_t>(floor_divide(series.first_index + static_cast<std::int64_t>(i), 2) -
                                             joined.first_index);
    if (at >= joined.length_ns.size()) {
      joined.length_ns.resize(at + 1, 0);
      joined.covered_ns.resize(at + 1, 0);
      joined.length_max.resize(at + 1, 0);
    }
    joined.length_ns[at] += series.length_ns[i];
    joined.covered_ns[at] += series.covered_ns[i];
    joined.length_max[at] = std::max(joined.length_max[at], series.length_max[i]);
  }
  series = std::move(joined);
}

void QueueAnalysis::extend_series(Queue& queue, LocalTime from, LocalTime to, std::uint32_t length) {
  if (options_.series_max < 2) return;
  Series& series = queue.series;
  if (series.length_ns.empty()) series.first_index = floor_divide(from.ns, series.width_ns);
  const auto last_index = [&] { return floor_divide(to.ns - 1, series.width_ns); };
  const auto span = [&] {
    const std::int64_t held = series.first_index + static_cast<std::int64_t>(series.length_ns.size()) - 1;
    return std::max(held, last_index()) - std::min(series.first_index, floor_divide(from.ns, series.width_ns)) + 1;
  };
  while (span() > static_cast<std::int64_t>(options_.series_max)) double_width(series);
  std::int64_t index = floor_divide(from.ns, series.width_ns);
  if (index < series.first_index) {  // the clock was set back to before the first bucket
    const auto missing = static_cast<std::size_t>(series.first_index - index);
    series.length_ns.insert(series.length_ns.begin(), missing, 0);
    series.covered_ns.insert(series.covered_ns.begin(), missing, 0);
    series.length_max.insert(series.length_max.begin(), missing, 0);
    series.first_index = index;
  }
  const auto needed = static_cast<std::size_t>(last_index() - series.first_index + 1);
  if (needed > series.length_ns.size()) {
    series.length_ns.resize(needed, 0);
    series.covered_ns.resize(needed, 0);
    series.length_max.resize(needed, 0);
  }
  for (; index <= last_index(); ++index) {
    const std::int64_t begin = std::max(from.ns, index * series.width_ns);
    const std::int64_t end = std::min(to.ns, (index + 1) * series.width_ns);
    const auto at = static_cast<std::size_t>(index - series.first_index);
    series.length_ns[at] += static_cast<double>(end - begin) * length;
    series.covered_ns[at] += static_cast<double>(end - begin);
    series.length_max[at] = std::max(series.length_max[at], length);
  }
}

void QueueAnalysis::on_end(const LossReport& losses) {
  losses_ = losses;
  final_ = result();
}

Queues QueueAnalysis::result() const {
  if (final_) return *final_;
  Queues result;
  result.losses = losses_;
  for (std::size_t number = 0; number < queues_.size(); ++number) {
    const Queue& queue = queues_[number];
    if (queue.statistics.queued == 0 && queue.statistics.received == 0) continue;
    result.processes.push_back(statistics_of(ProcessId{static_cast<std::uint32_t>(number)}, queue));
  }
  result.processes.insert(result.processes.end(), taken_.begin(), taken_.end());
  std::sort(result.processes.begin(), result.processes.end(),
            [](const auto& a, const auto& b) { return a.process < b.process; });
  add_warnings(result);
  return result;
}

QueueStatistics QueueAnalysis::statistics_of(ProcessId process, const Queue& queue) const {
  QueueStatistics statistics = queue.statistics;
  statistics.process = process;
  statistics.in_computation = process.value >= info_->processes.size() || (*info_)[process].in_computation;
  statistics.measured = statistics.queued > 0;
  statistics.still_queued = queue.waiting.size();
  const auto observed_ns = static_cast<double>(statistics.observed.ns);
  for (const std::uint64_t at_length_ns : queue.time_at_length_ns)
    statistics.time_share.push_back(static_cast<double>(at_length_ns) / observed_ns);
  if (observed_ns > 0) statistics.length_mean = queue.length_ns / observed_ns;
  if (queue.operations > 0)
    statistics.length_mean_by_operation = queue.operation_lengths / static_cast<double>(queue.operations);
  const Series& series = queue.series;
  for (std::size_t i = 0; i < series.length_ns.size(); ++i) {
    const LocalTime from{(series.first_index + static_cast<std::int64_t>(i)) * series.width_ns};
    const double mean = series.covered_ns[i] > 0 ? series.length_ns[i] / series.covered_ns[i] : 0;
    statistics.series.push_back({from, {series.width_ns}, mean, series.length_max[i]});
  }
  return statistics;
}

void QueueAnalysis::add_warnings(Queues& result) const {
  const bool flag_helps = info_->properties.every_arrival_metered;
  std::string unmeasured;
  for (const QueueStatistics& statistics : result.processes) {
    const std::string name = name_of(*info_, statistics.process);
    if (!statistics.measured) {
      unmeasured += (unmeasured.empty() ? "" : ", ") + name;
    } else if (statistics.receives_without_queued > 0) {
      const char* reason = flag_helps
                               ? " RECEIVEs without a MESSAGEQUEUED are left out"
                               : " messages are left out: from another machine or outside, their arrival is not known";
      result.warnings.push_back(fmt::format("{}: {}{}", name, statistics.receives_without_queued, reason));
    }
    if (statistics.waits_across_machines > 0) {
      result.warnings.push_back(fmt::format(
          "{} migrated: the waits of {} messages cannot be measured, their ends are on clocks of two machines", name,
          statistics.waits_across_machines));
    }
  }
  if (!unmeasured.empty()) {
    result.warnings.push_back(
        flag_helps ? fmt::format("queues need MESSAGEQUEUED, not metered for: {} (set the meter flag messagequeued)",
                                 unmeasured)
                   : fmt::format(
                         "the arrival of messages is not known for: {} (meter the senders on the same machine as well)",
                         unmeasured));
  }
}

// ---- parts of a trace

void QueueAnalysis::give(ByteWriter& out) {
  const Queues own = result();
  out.put(std::uint64_t{own.processes.size()});
  for (const QueueStatistics& statistics : own.processes) {
    visit_numbers(statistics, [&](const auto& value) { out.put(value); });
    statistics.waits.put(out);
  }
}

void QueueAnalysis::take(ByteReader& in) {
  for (auto left = in.get<std::uint64_t>(); left > 0 && in.ok(); --left) {
    QueueStatistics& statistics = taken_.emplace_back();
    visit_numbers(statistics, [&](auto& value) { in.get(value); });
    statistics.waits.get(in);
  }
}

}  // namespace dpm
