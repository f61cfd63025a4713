#include "analysis/statistics/statistics.hpp"

#include <algorithm>
#include <bit>

#include "model/check.hpp"
#include "model/metered_cpu.hpp"

namespace dpm {
namespace {

void add(MessageSizes& sum, const MessageSizes& more) {
  if (more.messages == 0) return;
  sum.bytes_min = sum.messages == 0 ? more.bytes_min : std::min(sum.bytes_min, more.bytes_min);
  sum.bytes_max = std::max(sum.bytes_max, more.bytes_max);
  sum.messages += more.messages;
  sum.bytes += more.bytes;
  for (std::size_t power = 0; power < sum.by_power.size(); ++power) sum.by_power[power] += more.by_power[power];
}

// One of the two saw all SENDs of the pair. RECEIVEs count as local or remote only for pairs without a SEND.
void add(Traffic& sum, const Traffic& more) {
  if (sum.by_receive() == more.by_receive()) {
    sum.remote += more.remote;
  } else if (sum.by_receive()) {
    sum.remote = more.remote;
  }
  sum.add_ends(more);
}

}  // namespace

void Traffic::add_ends(const Traffic& more) {
  sent += more.sent;
  sent_bytes += more.sent_bytes;
  received += more.received;
  received_bytes += more.received_bytes;
  kernel_sent += more.kernel_sent;
  kernel_bytes += more.kernel_bytes;
}

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

MachineStatistics& StatisticsAnalysis::machine(MachineId number, LocalTime when) {
  if (number.value >= machine_slot_.size()) machine_slot_.resize(number.value + 1, 0);
  auto& slot = machine_slot_[number.value];
  if (slot == 0) {
    machines_.push_back({number, 0, 0, when, when, DensityHistogram(options_.density_buckets_max)});
    slot = static_cast<std::uint16_t>(machines_.size());
  }
  return machines_[slot - 1u];
}

MachineStatistics& StatisticsAnalysis::machine(const Event& event) {
  auto& statistics = machine(event.machine, event.local_time);
  statistics.first_time = std::min(statistics.first_time, event.local_time);
  statistics.last_time = std::max(statistics.last_time, event.local_time);
  return statistics;
}

void StatisticsAnalysis::on_events(std::span<const Event> batch) {
  DPM_CHECK(info_ != nullptr);
  for (const Event& event : batch) {
    if (event.process.is_none() || event.machine.is_none()) continue;  // no process to count it for
    ++events_;
    if (event.type == EventType::summary) {
      summaries_.add(event);
      continue;
    }
    Seen& seen_process = seen(event.process);
    auto& process = seen_process.statistics;
    if (!seen_process.any) {
      seen_process.any = true;
      process.process = event.process;
      process.in_computation = event.process.value >= info_->processes.size() || (*info_)[event.process].in_computation;
      process.first_machine = event.machine;
      process.first_time = event.local_time;
      any_moved_ |= event.process.value >= info_->processes.size() || (*info_)[event.process].machine != event.machine;
    } else if (process.last_machine != event.machine) {
      process.migrated = true;
      any_moved_ = true;
    }
    // A message that became known late is of before: on one machine the order of events does not matter.
    if (process.last_machine == event.machine) {
      process.first_time = process.migrated ? process.first_time : std::min(process.first_time, event.local_time);
      process.last_time = std::max(process.last_time, event.local_time);
    } else {
      process.last_time = event.local_time;
    }
    process.last_machine = event.machine;
    if (event.proc_time_ns != 0 && (seen_process.cpu_before_ns == 0 || event.proc_time_ns < seen_process.cpu_before_ns))
      seen_process.cpu_before_ns = event.proc_time_ns;
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
  result.summaries = summaries_.machines();
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
    if (was_acquired(*info_, process.statistics.process))
      process.statistics.cpu_ns = cpu_between_ns(process.cpu_before_ns, process.statistics.cpu_ns, true);
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

// ---- parts of a trace

void StatisticsAnalysis::give(ByteWriter& out) {
  std::vector<Seen> seen;
  std::copy_if(processes_.begin(), processes_.end(), std::back_inserter(seen), [](const Seen& s) { return s.any; });
  out.put(seen);
  out.put(std::uint64_t{machines_.size()});
  for (const MachineStatistics& machine : machines_) {
    out.put(machine.machine);
    out.put(machine.sent);
    out.put(machine.sent_bytes);
    out.put(machine.first_time);
    out.put(machine.last_time);
    machine.density.put(out);
  }
  std::vector<Traffic> traffic;
  for (const auto& [pair, of_pair] : traffic_) {
    traffic.push_back(of_pair);
    traffic.back().from = pair.first;
    traffic.back().to = pair.second;
  }
  out.put(traffic);
  summaries_.put(out);
  out.put(sizes_);
  out.put(kernel_sizes_);
  for (const std::uint64_t sum : {sent_local_, sent_remote_, events_}) out.put(sum);
}

void StatisticsAnalysis::take(ByteReader& in) {
  std::vector<Seen> seen_there;
  in.get(seen_there);
  for (const Seen& process : seen_there) seen(process.statistics.process) = process;
  for (auto left = in.get<std::uint64_t>(); left > 0 && in.ok(); --left) {
    MachineStatistics there{in.get<MachineId>(), 0, 0, {}, {}, DensityHistogram(options_.density_buckets_max)};
    in.get(there.sent);
    in.get(there.sent_bytes);
    in.get(there.first_time);
    in.get(there.last_time);
    there.density.get(in);
    MachineStatistics& here = machine(there.machine, there.first_time);
    here.sent += there.sent;
    here.sent_bytes += there.sent_bytes;
    here.first_time = std::min(here.first_time, there.first_time);
    here.last_time = std::max(here.last_time, there.last_time);
    here.density.add_all_of(std::move(there.density));
  }
  std::vector<Traffic> traffic;
  in.get(traffic);
  for (const Traffic& pair : traffic) add(traffic_[{pair.from, pair.to}], pair);
  summaries_.take(in);
  MessageSizes sizes;
  in.get(sizes);
  add(sizes_, sizes);
  in.get(sizes);
  add(kernel_sizes_, sizes);
  for (std::uint64_t* sum : {&sent_local_, &sent_remote_, &events_}) *sum += in.get<std::uint64_t>();
}

}  // namespace dpm
