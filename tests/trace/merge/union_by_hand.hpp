// Traces of single machines by hand, and their union:
//
//   Traces traces;
//   TraceInfo& red = traces.machine("red", {"10.0.0.1"});
//   traces.tcp(red, "10.0.0.1:4000", "10.0.0.2:80", Seen::sender);
//   traces.unite();
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "trace/merge/trace_union.hpp"

namespace dpm::test {

enum class Seen : std::uint8_t { sender, receiver, both };

class Traces {
 public:
  TraceInfo& machine(const std::string& name, std::vector<std::string> addresses = {}) {
    auto& info = infos.emplace_back(std::make_unique<TraceInfo>());
    info->machines.push_back({.name = name, .addresses = std::move(addresses)});
    return *info;
  }

  static void process(TraceInfo& info, const std::string& name, std::uint32_t pid, std::uint64_t began_ns,
                      bool acquired = false) {
    ProcessInfo process;
    process.name = name;
    process.machine = MachineId{0};
    process.pid = process.tid = pid;
    process.began_ns = began_ns;
    process.acquired = acquired;
    info.processes.push_back(process);
  }

  static void channel(TraceInfo& info, ChannelMedium medium, const std::string& from, const std::string& to, Seen seen,
                      std::uint64_t socket = 0) {
    ChannelInfo channel;
    channel.medium = medium;
    channel.kind = medium == ChannelMedium::udp ? ChannelKind::datagram : ChannelKind::stream;
    channel.name = fmt::format("{} > {}", from, to);
    const bool internet = medium == ChannelMedium::tcp || medium == ChannelMedium::udp;
    const auto end = [&](const std::string& name) {
      if (internet) return parse_internet_name(name);
      ChannelEnd whole;
      whole.address = name;
      return whole;
    };
    channel.sender = end(from);
    channel.receiver = end(to);
    for (ChannelEnd* own : {&channel.sender, &channel.receiver}) {
      if (seen != Seen::both && (own == &channel.sender) != (seen == Seen::sender)) continue;
      own->machine = MachineId{0};
      own->socket = socket;
    }
    info.channels.push_back(channel);
  }
  static void tcp(TraceInfo& info, const std::string& from, const std::string& to, Seen seen,
                  std::uint64_t socket = 0) {
    channel(info, ChannelMedium::tcp, from, to, seen, socket);
  }
  static void udp(TraceInfo& info, const std::string& from, const std::string& to, Seen seen) {
    channel(info, ChannelMedium::udp, from, to, seen);
  }

  void unite() {
    united = std::make_unique<TraceUnion>();
    for (const auto& info : infos) united->add(*info, "trace " + std::to_string(++labels));
  }
  std::size_t channels() {
    unite();
    return united->info().channels.size();
  }

  std::vector<std::unique_ptr<TraceInfo>> infos;
  std::unique_ptr<TraceUnion> united;
  int labels = 0;
};

}  // namespace dpm::test
