// What the numbers in a stream of events stand for: machines, processes, channels. A source owns one, appends to it
// while it runs, and a trace directory keeps it as trace.json. Rows never change, with three exceptions: the owner of a
// channel may be none and become known once, because a live meter learns late which process reads; so may what is
// missing of its ends; and an operating system's process is renamed when it executes another program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/channel_end.hpp"
#include "model/delay_model.hpp"
#include "model/ids.hpp"
#include "model/primitive_event.hpp"
#include "model/source_properties.hpp"
#include "model/wait_cause.hpp"

namespace dpm {

struct MachineInfo {
  std::string name;
  double speed = 1;                         // work per CPU second, relative to a machine of speed 1
  std::uint16_t cores = 1;                  // the number of processes that run at full speed at a time
  std::vector<std::string> addresses = {};  // of its network interfaces, as in ChannelEnd; empty: not known
  // Which running system it is, seen from which network: machines of one host share loopback addresses, pipes and UNIX
  // sockets, whatever their names. Empty: not known, and different from all others.
  std::string host = {};
  bool accepts = true;  // false of a device, which other processes cannot be placed on

  friend bool operator==(const MachineInfo&, const MachineInfo&) = default;
};

// A process with a CPU clock: in a live trace, a thread.
struct ProcessInfo {
  std::string name;
  std::string program;             // processes of one program may play the same role in a prediction
  MachineId machine;               // where it started
  std::uint16_t filter = 0;        // index into TraceInfo::filters: where its meter messages go
  bool in_computation = true;      // false for users, disks, name servers: outside what is being studied (thesis 5.2.3)
  std::uint32_t pid = 0, tid = 0;  // the operating system's numbers; 0 in a simulation
  ProcessId group;                 // of a thread: the process it belongs to, its first thread; otherwise none
  // When it began, in nanoseconds since its machine was started, as /proc has it: with `tid` it tells a process from
  // others that had its number. 0: not known.
  std::uint64_t began_ns = 0;
  bool acquired = false;    // metered from the middle of its run: what it did before is not known
  std::string cgroup = {};  // of a live process (not of its threads): the service or container that it began in

  friend bool operator==(const ProcessInfo&, const ProcessInfo&) = default;
};

// What the sequence number of a message on a channel means.
enum class ChannelKind : std::uint8_t {
  numbered,  // each sender counts its messages, and a RECEIVE names the number of its SEND
  stream,    // the offset, in this direction of the connection, of the first byte of a SEND or a RECEIVE
  datagram,  // each sender counts its messages; a RECEIVE says 0, and takes its SEND by order and size
};

struct ChannelInfo {
  ProcessId owner;   // receives what is sent over it; none while that is not known
  std::string name;  // may be empty
  ChannelKind kind = ChannelKind::numbered;
  ChannelMedium medium = ChannelMedium::unknown;
  ChannelEnd sender = {}, receiver = {};  // where what is sent over it comes from and goes

  friend bool operator==(const ChannelInfo&, const ChannelInfo&) = default;
};

// Which file's code lay where in a process, so that a pc can be named.
struct CodeModule {
  ProcessId process;
  std::uint64_t start = 0, end = 0;  // addresses, [start, end)
  std::uint64_t file_offset = 0;     // of what lies at `start`
  std::string path;
};

struct TraceInfo {
  std::string source;  // "sim", "linux-seccomp", ...: for people; programs ask for its properties
  SourceProperties properties;
  std::string scenario;  // name of the scenario or command that was run
  std::string placement;
  std::uint64_t seed = 0;
  DelayModel delays;
  std::vector<std::string> filters = {"filter"};
  std::vector<MachineInfo> machines;
  std::vector<ProcessInfo> processes;
  std::vector<ChannelInfo> channels;
  std::vector<std::vector<ChannelId>> channel_sets = {{}};  // [0] is "any channel"
  std::vector<CodeModule> modules;                          // empty if no meter saw any
  std::vector<WaitCause> wait_causes;                       // told once, last
  std::vector<PrimitiveEvent> primitive_events;             // of POINTs and VALUEs

  const MachineInfo& operator[](MachineId id) const { return machines.at(id.value); }
  const ProcessInfo& operator[](ProcessId id) const { return processes.at(id.value); }
  const ChannelInfo& operator[](ChannelId id) const { return channels.at(id.value); }
};

}  // namespace dpm
