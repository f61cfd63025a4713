#include "backends/sim/wire.hpp"

#include <unordered_map>

#include "model/check.hpp"

namespace dpm::sim {
namespace {

class Writer {
 public:
  template <typename T>
  requires std::is_trivially_copyable_v<T> Writer& operator<<(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Writer& operator<<(const std::string& text) {
    *this << static_cast<std::uint64_t>(text.size());
    bytes_ += text;
    return *this;
  }
  template <typename T>
  Writer& operator<<(const std::vector<T>& items) {
    *this << static_cast<std::uint64_t>(items.size());
    for (const T& item : items) *this << item;
    return *this;
  }
  Writer& operator<<(const Loss& loss) { return *this << loss.reason << loss.events; }
  Writer& operator<<(const PrintedLine& line) { return *this << line.process << line.text; }
  Writer& operator<<(const ProcessTruth& p) {
    return *this << p.name << p.machine << p.in_computation << p.final_state << p.cpu_time_ns << p.messages_sent
                 << p.messages_received << p.queue_max << p.queue_area_ns << p.queue_mean << p.started
                 << p.last_activity;
  }

  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(const std::string& bytes) : bytes_(bytes) {}

  template <typename T>
  requires std::is_trivially_copyable_v<T> Reader& operator>>(T& value) {
    DPM_CHECK(at_ + sizeof value <= bytes_.size());
    std::memcpy(static_cast<void*>(&value), bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return *this;
  }
  Reader& operator>>(std::string& text) {
    std::uint64_t size = 0;
    *this >> size;
    DPM_CHECK(at_ + size <= bytes_.size());
    text.assign(bytes_, at_, size);
    at_ += size;
    return *this;
  }
  template <typename T>
  Reader& operator>>(std::vector<T>& items) {
    std::uint64_t count = 0;
    *this >> count;
    for (std::uint64_t i = 0; i < count; ++i) *this >> items.emplace_back();
    return *this;
  }
  Reader& operator>>(Loss& loss) { return *this >> loss.reason >> loss.events; }
  Reader& operator>>(PrintedLine& line) { return *this >> line.process >> line.text; }
  Reader& operator>>(ProcessTruth& p) {
    return *this >> p.name >> p.machine >> p.in_computation >> p.final_state >> p.cpu_time_ns >> p.messages_sent >>
           p.messages_received >> p.queue_max >> p.queue_area_ns >> p.queue_mean >> p.started >> p.last_activity;
  }

 private:
  const std::string& bytes_;
  std::size_t at_ = 0;
};

}  // namespace

TraceInfo initial_trace_info(const Scenario& scenario) {
  TraceInfo info;
  info.source = "sim";
  info.properties = {.delays_known = true, .every_arrival_metered = true, .scripted = true};
  info.scenario = scenario.name;
  info.placement = scenario.placement;
  info.seed = scenario.seed;
  info.delays = scenario.delays;
  if (!scenario.filters.empty()) {
    info.filters.clear();
    for (const auto& filter : scenario.filters) info.filters.push_back(filter.name);
  }
  std::unordered_map<std::string, MachineId> machines;
  for (const auto& machine : scenario.machines) {
    machines[machine.name] = MachineId{static_cast<std::uint16_t>(info.machines.size())};
    info.machines.push_back({machine.name, machine.speed, machine.cores});
  }
  std::unordered_map<std::string, ProcessId> processes;
  for (const auto& process : scenario.processes) {
    processes[process.name] = ProcessId{static_cast<std::uint32_t>(info.processes.size())};
    info.processes.push_back({process.name, process.program_name, machines.at(process.machine),
                              filter_index(info, process.filter), process.in_computation});
  }
  for (const auto& process : scenario.processes)
    for (const auto& target : process.links)
      info.channels.push_back({processes.at(target), process.name + "->" + target});
  return info;
}

std::uint16_t filter_index(const TraceInfo& info, const std::string& filter) {
  for (std::size_t i = 0; i < info.filters.size(); ++i)
    if (info.filters[i] == filter) return static_cast<std::uint16_t>(i);
  return 0;  // the empty name: the first one
}

NamesSent NamesSent::all_of(const TraceInfo& info) {
  return {info.processes.size(), info.channels.size(), info.channel_sets.size()};
}

std::string encode_names(const TraceInfo& info, NamesSent already_sent) {
  Writer writer;
  writer << static_cast<std::uint64_t>(info.processes.size() - already_sent.processes);
  for (std::size_t i = already_sent.processes; i < info.processes.size(); ++i) {
    const ProcessInfo& process = info.processes[i];
    writer << process.name << process.program << process.machine << process.filter << process.in_computation;
  }
  writer << static_cast<std::uint64_t>(info.channels.size() - already_sent.channels);
  for (std::size_t i = already_sent.channels; i < info.channels.size(); ++i)
    writer << info.channels[i].owner << info.channels[i].name;
  writer << static_cast<std::uint64_t>(info.channel_sets.size() - already_sent.channel_sets);
  for (std::size_t i = already_sent.channel_sets; i < info.channel_sets.size(); ++i) writer << info.channel_sets[i];
  return writer.take();
}

void append_names(const std::string& payload, TraceInfo& info) {
  Reader reader(payload);
  std::uint64_t count = 0;
  reader >> count;
  for (; count > 0; --count) {
    ProcessInfo& process = info.processes.emplace_back();
    reader >> process.name >> process.program >> process.machine >> process.filter >> process.in_computation;
  }
  reader >> count;
  for (; count > 0; --count) {
    ChannelInfo& channel = info.channels.emplace_back();
    reader >> channel.owner >> channel.name;
  }
  reader >> count;
  for (; count > 0; --count) reader >> info.channel_sets.emplace_back();
}

std::string encode_end(const RunEnd& end) {
  Writer writer;
  writer << end.losses.seen << end.losses.losses << end.losses.warnings << end.error;
  const SimTruth& t = end.truth;
  writer << t.makespan << t.makespan_all << t.total_cpu_ns << t.messages_delivered << t.messages_dropped
         << t.simulated_end << t.processes << t.ended_by << t.deadlocked << t.blocked << t.printed;
  return writer.take();
}

RunEnd decode_end(const std::string& payload) {
  Reader reader(payload);
  RunEnd end;
  reader >> end.losses.seen >> end.losses.losses >> end.losses.warnings >> end.error;
  SimTruth& t = end.truth;
  reader >> t.makespan >> t.makespan_all >> t.total_cpu_ns >> t.messages_delivered >> t.messages_dropped >>
      t.simulated_end >> t.processes >> t.ended_by >> t.deadlocked >> t.blocked >> t.printed;
  return end;
}

}  // namespace dpm::sim
