#include "backends/sim/wire.hpp"

#include <cstring>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "model/check.hpp"

namespace dpm::sim {
namespace {

// The fields of each struct that travels, in one place for both directions.
template <typename Pipe>
void fields(Pipe& pipe, ChannelEnd& end) {
  pipe(end.address, end.port, end.machine, end.socket);
}
template <typename Pipe>
void fields(Pipe& pipe, ProcessInfo& p) {
  pipe(p.name, p.program, p.machine, p.filter, p.in_computation, p.pid, p.tid, p.group, p.began_ns, p.acquired,
       p.cgroup);
}
template <typename Pipe>
void fields(Pipe& pipe, ChannelInfo& channel) {
  pipe(channel.owner, channel.name, channel.kind, channel.medium, channel.sender, channel.receiver);
}
template <typename Pipe>
void fields(Pipe& pipe, WaitCause& cause) {
  pipe(cause.process, cause.reason, cause.other, cause.name, cause.time_ns);
}
template <typename Pipe>
void fields(Pipe& pipe, TraceGrowth& growth) {
  pipe(growth.processes, growth.channels, growth.channel_sets, growth.wait_causes);
}
template <typename Pipe>
void fields(Pipe& pipe, Loss& loss) {
  pipe(loss.reason, loss.events);
}
template <typename Pipe>
void fields(Pipe& pipe, PrintedLine& line) {
  pipe(line.process, line.text);
}
template <typename Pipe>
void fields(Pipe& pipe, ProcessTruth& p) {
  pipe(p.name, p.machine, p.in_computation, p.final_state, p.cpu_time_ns, p.ready_time_ns, p.messages_sent,
       p.messages_received, p.queue_max, p.queue_area_ns, p.queue_mean, p.started, p.last_activity);
}
template <typename Pipe>
void fields(Pipe& pipe, MachineTruth& m) {
  pipe(m.name, m.cpu_time_ns);
}
template <typename Pipe>
void fields(Pipe& pipe, SimTruth& t) {
  pipe(t.makespan, t.makespan_all, t.total_cpu_ns, t.messages_delivered, t.messages_dropped, t.simulated_end,
       t.processes, t.machines, t.ended_by, t.deadlocked, t.at_limit, t.blocked, t.printed);
}
template <typename Pipe>
void fields(Pipe& pipe, RunEnd& end) {
  pipe(end.losses.seen, end.losses.losses, end.losses.warnings, end.error, end.truth);
}

class Writer {
 public:
  template <typename... Values>
  void operator()(Values&... values) {
    (put(values), ...);
  }
  std::string take() { return std::move(bytes_); }

 private:
  template <typename T>
  void put(T& value) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    } else {
      fields(*this, value);
    }
  }
  void put(std::string& text) {
    std::uint64_t size = text.size();
    put(size);
    bytes_ += text;
  }
  template <typename T>
  void put(std::vector<T>& items) {
    std::uint64_t count = items.size();
    put(count);
    for (T& item : items) put(item);
  }

  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(const std::string& bytes) : bytes_(bytes) {}

  template <typename... Values>
  void operator()(Values&... values) {
    (get(values), ...);
  }

 private:
  template <typename T>
  void get(T& value) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      std::memcpy(static_cast<void*>(&value), next(sizeof value), sizeof value);
    } else {
      fields(*this, value);
    }
  }
  void get(std::string& text) {
    std::uint64_t size = 0;
    get(size);
    text.assign(next(size), size);
  }
  template <typename T>
  void get(std::vector<T>& items) {
    std::uint64_t count = 0;
    get(count);
    for (std::uint64_t i = 0; i < count; ++i) get(items.emplace_back());
  }
  const char* next(std::size_t size_bytes) {
    DPM_CHECK(size_bytes <= bytes_.size() - at_);
    const char* begin = bytes_.data() + at_;
    at_ += size_bytes;
    return begin;
  }

  const std::string& bytes_;
  std::size_t at_ = 0;
};

template <typename Value>
std::string encode(Value& value) {
  Writer writer;
  writer(value);
  return writer.take();
}

template <typename Value>
Value decode(const std::string& payload) {
  Value value;
  Reader reader(payload);
  reader(value);
  return value;
}

bool is_device(const Scenario& scenario, const MachineDescription& machine) {
  bool has_processes = false;
  for (const auto& process : scenario.processes) {
    if (process.machine != machine.name) continue;
    if (process.in_computation || !process.service) return false;
    has_processes = true;
  }
  return has_processes;
}

}  // namespace

TraceInfo initial_trace_info(const Scenario& scenario) {
  TraceInfo info;
  info.source = "sim";
  info.properties = {
      .delays_known = scenario.network.empty(), .every_arrival_metered = scenario.semaphores.empty(), .scripted = true};
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
    info.machines.back().accepts = machine.accepts.value_or(!is_device(scenario, machine));
  }
  for (const auto& process : scenario.processes)
    info.processes.push_back({process.name, process.program_name, machines.at(process.machine),
                              filter_index(info, process.filter), process.in_computation});
  return info;
}

std::uint16_t filter_index(const TraceInfo& info, const std::string& filter) {
  for (std::size_t i = 0; i < info.filters.size(); ++i)
    if (info.filters[i] == filter) return static_cast<std::uint16_t>(i);
  return 0;  // the empty name: the first one
}

std::string encode_growth(TraceGrowth growth) { return encode(growth); }
TraceGrowth decode_growth(const std::string& payload) { return decode<TraceGrowth>(payload); }

std::string encode_end(RunEnd end) { return encode(end); }
RunEnd decode_end(const std::string& payload) { return decode<RunEnd>(payload); }

}  // namespace dpm::sim
