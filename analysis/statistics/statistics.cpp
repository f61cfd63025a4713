#include "analysis/statistics/statistics.hpp"

#include <algorithm>
#include <bit>

#include "model/check.hpp"

namespace dpm {

void MessageSizes::add(std::uint32_t length_bytes) {
  bytes_min = messages == 0 ? length_bytes : std::min(bytes_min, length_bytes);
  bytes_max = std::max(bytes_max, length_bytes);
  ++messages;
  bytes += length_bytes;
  ++by_power[static_cast<std::size_t>(std::bit_width(length_bytes))];
}

double MachineStatistics::messages_per_second() const {
  const Duration observed = last_time - first_time;
  return observed.ns <= 0 ? 0 : static_cast<double>(sent) / observed.seconds();
}

StatisticsAnalysis::Seen& StatisticsAnalysis::seen(ProcessId process) {
  if (process.value >= processes_.size()) processes_.resize(process.value + 1);
  return processes_[process.value];
}

// Where a process is now: where its last event happened, or where it started.
MachineId StatisticsAnalysis::machine_of(ProcessId process) const {
  if (process.value < processes_.size() && processes_[process.value].any) {
    return processes_[process.value].statistics.last_machine;
  }
  return process.value < info_->processes.size() ? (*info_)[process].machine : MachineId{};
}

MachineStatistics& StatisticsAnalysis::machine(const Event& event) {
  if (event.machine.value >= machine_slot_.size()) machine_slot_.resize(event.machine.value + 1, 0);
  auto& slot = machine_slot_[event.machine.value];
  if (slot == 0) {
    machines_.push_back(
        {event.machine, 0, 0, event.local_time, event.local_time, DensityHistogram(options_.density_buckets_max)});
    slot = static_cast<std::uint16_t>(machines_.size());
  }
  auto& statistics = machines_[slot - 1u];
  statistics.first_time = std::min(statistics.first_time, event.local_time);
  statistics.last_time = std::max(statistics.last_time, event.local_time);
  return statistics;
}

void StatisticsAnalysis::on_events(std::span<const Event> batch) {
  DPM_CHECK(info_ != nullptr);
  for (const Event& event : batch) {
    if (event.process.is_none() || event.machine.is_none()) continue;  // no process to count it for
    ++events_;
    Seen& seen_process = seen(event.process);
    auto& process = seen_process.statistics;
    if (!seen_process.any) {
      seen_process.any = true;
      process.process = event.process;
      process.in_computation = event.process.value >= info_->processes.size() || (*info_)[event.process].in_computation;
      process.first_machine = event.machine;
      process.first_time = event.local_time;
      seen_process.cpu_before_ns = event.proc_time_ns;
    } else if (process.last_machine != event.machine) {
      process.migrated = true;
    }
    process.last_machine = event.machine;
    process.last_time = event.local_time;
    process.cpu_ns = std::max(process.cpu_ns, event.proc_time_ns);
    if (event.has_ready_time()) process.ready_ns = std::max(process.ready_ns.value_or(0), event.ready_time_ns);
    if (event.has_disk_time()) process.disk_ns = std::max(process.disk_ns.value_or(0), event.disk_time_ns);
    ++process.events;
    const auto type = static_cast<std::size_t>(event.type);
    if (type < process.events_by_type.size()) ++process.events_by_type[type];

    machine(event);
    if ((event.flags & event_flags::kNoMessage) != 0) continue;
    if (event.type == EventType::send) count_send(event, process);
    if (event.type == EventType::receive) count_receive(event, process);
    if (event.type == EventType::wait) count_wait(event, process);
  }
}

void StatisticsAnalysis::count_send(const Event& event, ProcessStatistics& sender) {
  const bool kernel = (event.flags & event_flags::kKernelMessage) != 0;
  const bool known =
      !event.peer.is_none();  // a 4.2BSD meter names sockets, not processes: then neither local nor remote
  const bool remote = known && machine_of(event.peer) != event.machine;
  sender.sent += 1;
  sender.sent_bytes += event.length_bytes;
  if (known) {
    (remote ? sender.sent_remote : sender.sent_local) += 1;
    (remote ? sent_remote_ : sent_local_) += 1;
  }
  sizes_.add(event.length_bytes);

  auto& origin = machine(event);
  origin.sent += 1;
  origin.sent_bytes += event.length_bytes;
  origin.density.add(event.local_time);

  auto& pair = traffic_[{event.process, event.peer}];
  if (pair.by_receive()) pair.remote = 0;  // until now counted by its RECEIVEs
  pair.sent += 1;
  pair.sent_bytes += event.length_bytes;
  pair.remote += remote ? 1 : 0;
  if (kernel) {
    kernel_sizes_.add(event.length_bytes);
    sender.kernel_sent += 1;
    sender.kernel_bytes += event.length_bytes;
    pair.kernel_sent += 1;
    pair.kernel_bytes += event.length_bytes;
  }
}

void StatisticsAnalysis::count_receive(const Event& event, ProcessStatistics& receiver) {
  receiver.received += 1;
  receiver.received_bytes += event.length_bytes;
  auto& pair = traffic_[{event.peer, event.process}];
  pair.received += 1;
  pair.received_bytes += event.length_bytes;
  if (pair.by_receive() && !event.peer.is_none() && machine_of(event.peer) != event.machine) pair.remote += 1;
}

void StatisticsAnalysis::count_wait(const Event& event, ProcessStatistics& waiter) {
  if (event.code >= waiter.waits.size()) return;  // of a kind that a later version defines
  ++waiter.waits[event.code].count;
  waiter.waits[event.code].waited_ns += event.sequence;
}

void StatisticsAnalysis::on_end(const LossReport& losses) {
  losses_ = losses;
  final_ = result();
}

Statistics StatisticsAnalysis::result() const {
  if (final_) return *final_;
  Statistics result;
  result.sizes = sizes_;
  result.kernel_sizes = kernel_sizes_;
  result.sent_local = sent_local_;
  result.sent_remote = sent_remote_;
  result.events = events_;
  result.losses = losses_;
  result.machines = machines_;
  std::sort(result.machines.begin(), result.machines.end(),
            [](const auto& a, const auto& b) { return a.machine < b.machine; });
  for (const auto& [key, pair] : traffic_) {
    result.messages.push_back(pair);
    result.messages.back().from = key.first;
    result.messages.back().to = key.second;
  }

  double cpu = 0, sent = 0, bytes = 0;
  std::uint64_t migrated = 0;
  for (Seen process : processes_) {
    if (!process.any) continue;
    const std::size_t number = process.statistics.process.value;
    if (number < info_->processes.size() && info_->processes[number].acquired)
      process.statistics.cpu_ns -= std::min(process.statistics.cpu_ns, process.cpu_before_ns);
    result.processes.push_back(process.statistics);
    migrated += process.statistics.migrated ? 1 : 0;
    if (!process.statistics.in_computation) continue;
    cpu += static_cast<double>(process.statistics.cpu_ns);
    sent += static_cast<double>(process.statistics.sent);
    bytes += static_cast<double>(process.statistics.sent_bytes);
  }
  for (auto& process : result.processes) {
    if (!process.in_computation) continue;
    process.cpu_share = cpu > 0 ? static_cast<double>(process.cpu_ns) / cpu : 0;
    process.sent_share = sent > 0 ? static_cast<double>(process.sent) / sent : 0;
    process.bytes_share = bytes > 0 ? static_cast<double>(process.sent_bytes) / bytes : 0;
  }
  if (result.sizes.messages == 0 && result.events > 0) {
    result.warnings.push_back(
        "no SEND was metered: messages are counted by their RECEIVEs, sizes and density are unknown");
  }
  if (migrated > 0) {
    result.warnings.push_back(
        std::to_string(migrated) +
        " processes migrated: a message to one of them counts as local or remote by the machine it was "
        "last seen on");
  }
  return result;
}

}  // namespace dpm
