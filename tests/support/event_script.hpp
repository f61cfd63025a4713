// Small traces by hand:
//
//   EventScript script({"red", "green"});
//   script.process("A", "red");
//   script.process("B", "green");
//   const auto hello = script.send("A", 3, "B");   // A computes 3 ms, then sends
//   script.receive("B", 5, hello);                 // B computes 5 ms, then receives it
//   script.end("A", 4);                            // A computes 4 ms more
//
// Times are milliseconds of CPU time. at_ms() sets local times; otherwise they do not change.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/event.hpp"
#include "model/trace_info.hpp"

namespace dpm::test {

class EventScript {
 public:
  struct Sent {
    ProcessId sender;
    ChannelId channel;
    std::uint64_t sequence = 0;
    std::uint32_t bytes = 0;
  };

  explicit EventScript(const std::vector<std::string>& machines) {
    info.source = "script";
    info.properties.every_arrival_metered = true;
    for (const auto& name : machines) info.machines.push_back({name, 1.0});
  }

  ProcessId process(const std::string& name, const std::string& machine, const std::string& program = "") {
    ProcessInfo described;
    described.name = name;
    described.program = program;
    for (std::size_t m = 0; m < info.machines.size(); ++m) {
      if (info.machines[m].name == machine) described.machine = {static_cast<std::uint16_t>(m)};
    }
    const ProcessId id{static_cast<std::uint32_t>(info.processes.size())};
    info.processes.push_back(described);
    info.channels.push_back({id, "to " + name});
    ids_[name] = id;
    return id;
  }

  // The channel is the receiver's first one unless given.
  Sent send(const std::string& from, double ms, const std::string& to, std::uint32_t bytes = 10,
            ChannelId channel = {}) {
    if (channel.is_none()) channel = {ids_.at(to).value};
    const Sent sent{ids_.at(from), channel, ++sequence_[from], bytes};
    Event event = event_of(from, ms, EventType::send);
    event.peer = ids_.at(to);
    fill(event, sent);
    events.push_back(event);
    return sent;
  }

  void receive(const std::string& process, double ms, const Sent& message) {
    Event event = event_of(process, ms, EventType::receive);
    event.peer = message.sender;
    fill(event, message);
    events.push_back(event);
  }

  void receive_call(const std::string& process, double ms, std::uint32_t set) {
    Event event = event_of(process, ms, EventType::receive_call);
    event.code = set;
    events.push_back(event);
  }

  void wait(const std::string& process, double ms, const std::string& peer, WaitKind kind = WaitKind::process_end,
            double waited_ms = 1) {
    Event event = event_of(process, ms, EventType::wait);
    event.peer = ids_.at(peer);
    event.code = static_cast<std::uint32_t>(kind);
    event.sequence = static_cast<std::uint64_t>(waited_ms * 1e6);
    events.push_back(event);
  }

  void other(const std::string& process, double ms, EventType type, const std::string& peer = "") {
    Event event = event_of(process, ms, type);
    if (!peer.empty()) event.peer = ids_.at(peer);
    events.push_back(event);
  }
  void end(const std::string& process, double ms) { other(process, ms, EventType::destroy_process, process); }

  void at_ms(const std::string& process, double local_ms) {
    local_[process] = {static_cast<std::int64_t>(local_ms * 1e6)};
  }

  TraceInfo info;
  std::vector<Event> events;

 private:
  Event event_of(const std::string& process, double ms, EventType type) {
    cpu_ns_[process] += static_cast<std::uint64_t>(ms * 1e6);
    Event event;
    event.type = type;
    event.process = ids_.at(process);
    event.machine = info[event.process].machine;
    event.proc_time_ns = cpu_ns_[process];
    event.local_time = local_[process];
    return event;
  }
  static void fill(Event& event, const Sent& message) {
    event.channel = message.channel;
    event.sequence = message.sequence;
    event.length_bytes = message.bytes;
  }

  std::map<std::string, ProcessId> ids_;
  std::map<std::string, std::uint64_t> sequence_, cpu_ns_;
  std::map<std::string, LocalTime> local_;
};

}  // namespace dpm::test
