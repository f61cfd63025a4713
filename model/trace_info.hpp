// What the numbers in a stream of events stand for: machines, processes, channels. A source owns one, appends to it
// while it runs (never changing what is there), and a trace directory keeps it as trace.json.
#pragma once

#include <string>
#include <vector>

#include "model/delay_model.hpp"
#include "model/ids.hpp"

namespace dpm {

struct MachineInfo {
  std::string name;
  double speed = 1;  // work per CPU second, relative to a machine of speed 1
};

// One execution stream with a CPU clock.
struct ProcessInfo {
  std::string name;
  std::string program;         // processes of one program may play the same role in a prediction
  MachineId machine;           // where it started
  std::uint16_t filter = 0;    // index into TraceInfo::filters: where its meter messages go
  bool in_computation = true;  // false for users, disks, name servers: outside what is being studied (thesis 5.2.3)
};

struct ChannelInfo {
  ProcessId owner;   // receives what is sent over it
  std::string name;  // may be empty
};

struct TraceInfo {
  std::string source;    // "sim", "linux-seccomp", ...: which source produced the events
  std::string scenario;  // name of the scenario or command that was run
  std::string placement;
  std::uint64_t seed = 0;
  DelayModel delays;
  std::vector<std::string> filters = {"filter"};
  std::vector<MachineInfo> machines;
  std::vector<ProcessInfo> processes;
  std::vector<ChannelInfo> channels;
  std::vector<std::vector<ChannelId>> channel_sets = {{}};  // [0] is "any channel"

  const MachineInfo& operator[](MachineId id) const { return machines.at(id.value); }
  const ProcessInfo& operator[](ProcessId id) const { return processes.at(id.value); }
  const ChannelInfo& operator[](ChannelId id) const { return channels.at(id.value); }
};

}  // namespace dpm
