// Small live traces by hand, and what the resolver makes of them:
//
//   LiveScript script;
//   const auto a = script.process("a"), b = script.process("b");
//   const auto pipe = script.stream("pipe 1");
//   script.send(a, pipe, 0, 100);      // its bytes 0 to 99
//   script.receive(b, pipe, 0, 60);
//   CHECK(shown(script.resolved()) == ...);
//
// Each event takes its process a millisecond, on a clock that all share.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "analysis/messages/message_resolver.hpp"
#include "tests/support/memory_source.hpp"

namespace dpm::test {

inline Recording resolve(const Recording& recording, std::size_t batch_events = 64) {
  MessageSurvey survey;
  DPM_CHECK(MemorySource(recording, batch_events).run(survey).has_value());
  RecordingSink sink;
  MessageResolver resolver(std::move(survey), sink);
  DPM_CHECK(MemorySource(recording, batch_events).run(resolver).has_value());
  return sink.recording();
}

class LiveScript {
 public:
  LiveScript() {
    recording.info.source = "script";
    recording.info.machines = {{"here", 1}};
  }

  ProcessId process(const std::string& name, ProcessId group = {}) {
    ProcessInfo info;
    info.name = name;
    info.machine = MachineId{0};
    info.pid = static_cast<std::uint32_t>(100 + recording.info.processes.size());
    info.group = group;
    recording.info.processes.push_back(info);
    cpu_ns_.push_back(0);
    return ProcessId{static_cast<std::uint32_t>(cpu_ns_.size() - 1)};
  }
  ChannelId stream(const std::string& name) { return channel(name, ChannelKind::stream); }
  ChannelId datagrams(const std::string& name) { return channel(name, ChannelKind::datagram); }
  std::uint32_t set_of(ChannelId channel) {
    recording.info.channel_sets.push_back({channel});
    return static_cast<std::uint32_t>(recording.info.channel_sets.size() - 1);
  }

  Event& event(ProcessId process, EventType type, ChannelId channel = {}) {
    Event event;
    event.type = type;
    event.process = process;
    event.machine = MachineId{0};
    event.channel = channel;
    event.local_time.ns = now_ns_ += 1'000'000;
    event.proc_time_ns = cpu_ns_[process.value] += 1'000'000;
    recording.events.push_back(event);
    recording.losses.seen = recording.events.size();
    return recording.events.back();
  }
  void message(EventType type, ProcessId process, ChannelId channel, std::uint64_t sequence, std::uint32_t bytes) {
    Event& made = event(process, type, channel);
    made.sequence = sequence;
    made.length_bytes = bytes;
  }
  void send(ProcessId process, ChannelId channel, std::uint64_t sequence, std::uint32_t bytes) {
    message(EventType::send, process, channel, sequence, bytes);
  }
  void receive(ProcessId process, ChannelId channel, std::uint64_t sequence, std::uint32_t bytes) {
    message(EventType::receive, process, channel, sequence, bytes);
  }
  void receive_call(ProcessId process, std::uint32_t set) { event(process, EventType::receive_call).code = set; }

  Recording resolved() const { return resolve(recording); }

  Recording recording;

 private:
  ChannelId channel(const std::string& name, ChannelKind kind) {
    recording.info.channels.push_back({ProcessId{}, name, kind});
    return ChannelId{static_cast<std::uint32_t>(recording.info.channels.size() - 1)};
  }

  std::vector<std::uint64_t> cpu_ns_;  // by process
  std::int64_t now_ns_ = 0;
};

// "a SEND to b #0 100": one line an event.
inline std::vector<std::string> shown(const Recording& recording) {
  const auto name = [&](ProcessId process) {
    return process.is_none() ? std::string("nobody") : recording.info[process].name;
  };
  std::vector<std::string> lines;
  for (const Event& event : recording.events) {
    std::string line = fmt::format("{} {}", name(event.process), name_of(event.type));
    const bool sends = event.type == EventType::send;
    if ((event.flags & event_flags::kNoMessage) != 0) {
      line += " no message";
    } else if (sends || event.type == EventType::receive) {
      line +=
          fmt::format("{}{} #{} {}", sends ? " to " : " from ", name(event.peer), event.sequence, event.length_bytes);
      if (event.evidence == Evidence::inferred) line += " inferred";
    } else if (event.type == EventType::receive_call) {
      line += " " + std::to_string(event.code);
    } else if (!event.peer.is_none()) {
      line += " " + name(event.peer);
    }
    lines.push_back(line);
  }
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace dpm::test
