#include "backends/linux/audit/trace_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "trace/trace_reader.hpp"

namespace dpm::audit {
namespace {

Carrier carrier_of(const ChannelInfo& channel) {
  switch (channel.medium) {
    case ChannelMedium::tcp:
      return Carrier::tcp;
    case ChannelMedium::udp:
      return Carrier::udp;
    case ChannelMedium::unix_socket:
      return channel.kind == ChannelKind::datagram ? Carrier::unix_datagram : Carrier::unix_stream;
    case ChannelMedium::pipe:
      return Carrier::pipe;
    case ChannelMedium::eventfd:
      return Carrier::eventfd;
    case ChannelMedium::memory:
    case ChannelMedium::unknown:
      break;
  }
  return Carrier::other;
}

// "123" of "socket:[123]" and "/tmp/path#123".
std::string last_number(const std::string& text) {
  const auto end = text.find_last_of("0123456789");
  if (end == std::string::npos) return "";
  const auto before = text.find_last_not_of("0123456789", end);
  const auto begin = before == std::string::npos ? 0 : before + 1;
  return text.substr(begin, end + 1 - begin);
}

std::string object_of(const ChannelInfo& channel, Carrier carrier, Direction direction) {
  const bool sends = direction == Direction::sent;
  const ChannelEnd& own = sends ? channel.sender : channel.receiver;
  switch (carrier) {
    case Carrier::tcp:
      return to_string(own) + " > " + to_string(sends ? channel.receiver : channel.sender);
    case Carrier::udp:
      return fmt::format("port {}", own.port);
    case Carrier::unix_stream:
    case Carrier::unix_datagram:
      return fmt::format("socket:[{}]", last_number(own.address));
    case Carrier::pipe:
      return fmt::format("pipe:[{}]", last_number(own.address));
    case Carrier::eventfd:
      return "eventfd " + last_number(own.address);
    case Carrier::other:
      break;
  }
  return channel.name;
}

class Sums {
 public:
  explicit Sums(const TraceInfo& info) : info_(info), cpu_ns_(info.processes.size()) {}

  void add(std::span<const Event> batch) {
    for (const Event& event : batch) add(event);
  }

  std::vector<Process> take() {
    for (std::uint32_t thread = 0; thread < cpu_ns_.size(); ++thread)
      if (cpu_ns_[thread] > 0)
        process_of(ProcessId{thread}).cpu_ns = process_of(ProcessId{thread}).cpu_ns.value_or(0) + cpu_ns_[thread];
    std::vector<Process> all;
    for (auto& [group, process] : processes_) all.push_back(std::move(process));
    return all;
  }

 private:
  Process& process_of(ProcessId thread) {
    const ProcessId group = info_[thread].group.is_none() ? thread : info_[thread].group;
    const auto [place, is_new] = processes_.try_emplace(group.value);
    if (is_new) {
      const ProcessInfo& known = info_[group];
      place->second.pid = known.pid;
      place->second.began_ns = known.began_ns;
      place->second.name = known.name;
    }
    return place->second;
  }

  void add(const Event& event) {
    if (info_[event.process].pid == 0) return;
    cpu_ns_[event.process.value] = std::max(cpu_ns_[event.process.value], event.proc_time_ns);
    const bool is_gap = event.type == EventType::gap;
    if (event.type != EventType::send && event.type != EventType::receive && !is_gap) return;
    if (event.channel.is_none() || info_[event.channel].medium == ChannelMedium::memory) return;  // nothing moves
    const bool sends = is_gap ? event.code == 0 : event.type == EventType::send;
    const ChannelInfo& channel = info_[event.channel];
    const Way way = {carrier_of(channel), sends ? Direction::sent : Direction::received};
    const Moved moved = is_gap ? Moved{0, 0, 0, event.length_bytes} : Moved{event.length_bytes, 1, 0, 0};
    process_of(event.process).moved[way][object_of(channel, way.carrier, way.direction)] += moved;
  }

  const TraceInfo& info_;
  std::vector<std::uint64_t> cpu_ns_;  // by thread
  std::map<std::uint32_t, Process> processes_;
};

}  // namespace

Result<std::vector<Process>> count_trace(const std::string& directory) {
  auto reader = TraceReader::open(directory);
  if (!reader) return reader.error();
  Sums sums(reader->info());
  reader->read([&sums](std::span<const Event> batch) { sums.add(batch); });
  return sums.take();
}

}  // namespace dpm::audit
