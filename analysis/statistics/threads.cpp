#include "analysis/statistics/threads.hpp"

#include <algorithm>

namespace dpm {
namespace {

ProcessId group_of(ProcessId process, const TraceInfo& info) {
  if (process.value >= info.processes.size()) return process;
  const ProcessId group = info[process].group;
  return group.value < info.processes.size() ? group : process;
}

void add_thread(ProcessStatistics& sum, const ProcessStatistics& thread) {
  for (std::size_t type = 0; type < sum.events_by_type.size(); ++type)
    sum.events_by_type[type] += thread.events_by_type[type];
  sum.events += thread.events;
  sum.sent += thread.sent;
  sum.sent_bytes += thread.sent_bytes;
  sum.kernel_sent += thread.kernel_sent;
  sum.kernel_bytes += thread.kernel_bytes;
  sum.received += thread.received;
  sum.received_bytes += thread.received_bytes;
  sum.sent_local += thread.sent_local;
  sum.sent_remote += thread.sent_remote;
  for (std::size_t kind = 0; kind < sum.waits.size(); ++kind) {
    sum.waits[kind].count += thread.waits[kind].count;
    sum.waits[kind].waited_ns += thread.waits[kind].waited_ns;
  }
  sum.cpu_ns += thread.cpu_ns;
  if (thread.ready_ns) sum.ready_ns = sum.ready_ns.value_or(0) + *thread.ready_ns;
  if (thread.disk_ns) sum.disk_ns = sum.disk_ns.value_or(0) + *thread.disk_ns;
  if (thread.first_machine == sum.first_machine) sum.first_time = std::min(sum.first_time, thread.first_time);
  if (thread.last_machine == sum.last_machine) sum.last_time = std::max(sum.last_time, thread.last_time);
  sum.migrated |= thread.migrated;
  sum.cpu_share += thread.cpu_share;
  sum.sent_share += thread.sent_share;
  sum.bytes_share += thread.bytes_share;
}

void add_pair(Traffic& sum, const Traffic& pair) {
  sum.add_ends(pair);
  sum.remote += pair.remote;
}

}  // namespace

Statistics sum_threads(Statistics statistics, const TraceInfo& info) {
  std::map<ProcessId, ProcessStatistics> processes;
  for (auto& thread : statistics.processes) {
    const ProcessId process = group_of(thread.process, info);
    const auto [sum, first] = processes.try_emplace(process, thread);
    if (!first) add_thread(sum->second, thread);
    sum->second.process = process;
  }
  std::map<std::pair<ProcessId, ProcessId>, Traffic> messages;
  for (auto& pair : statistics.messages) {
    const ProcessId from = group_of(pair.from, info), to = group_of(pair.to, info);
    const auto [sum, first] = messages.try_emplace({from, to}, pair);
    if (!first) add_pair(sum->second, pair);
    sum->second.from = from;
    sum->second.to = to;
  }
  statistics.processes.clear();
  for (auto& [process, sum] : processes) statistics.processes.push_back(sum);
  statistics.messages.clear();
  for (auto& [pair, sum] : messages) statistics.messages.push_back(sum);
  return statistics;
}

}  // namespace dpm
