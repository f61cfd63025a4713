// One meter event: what a process did with a message, a path or another process, as its machine's kernel saw it.
//
// An event is flat and 80 bytes, so that batches are plain memory: the simulator, the Linux meter and a recorded trace
// all fill the same fields. The TraceInfo beside the stream has the names of processes, machines and channels.
//
//   type             process          peer               channel            sequence      length   code
//   SEND             sender           receiver           used               number        bytes    message code
//   RECEIVECALL      receiver         -                  -                  -             -        channel set asked
//   RECEIVE          receiver         sender             used               of its SEND   bytes    message code
//   MESSAGEQUEUED    receiver         sender             used               of its SEND   bytes    message code
//   CREATEPATH       caller           owner (receiver)   created            -             -        -
//   DESTROYPATH      caller           owner (receiver)   destroyed          -             -        -
//     and, of a connection: passed_channel, the direction it receives on
//   CREATEPROCESS    creator          created            -                  -             -        -
//   STARTPROCESS     started          requester          -                  -             -        -
//   STOPPROCESS      stopped          requester          -                  -             -        -
//   DESTROYPROCESS   destroyed        requester or self  -                  -             -        exit code
//
// Of UNIX programs (a connection is two channels, one for each direction; passed_channel is the one received on):
//
//   ACCEPT           acceptor         connector          sends on           -             -        listener's channel
//   CONNECT          connector        acceptor           sends on           -             -        -
//   SOCKET           creator          -                  sends on           -             -        kind of socket
//   DUP              caller           -                  sends on           -             -        new descriptor
//   EXEC             caller           -                  -                  -             -        -
//   GAP              its process      -                  used               first byte    bytes    0 sent, 1 received
//   WAIT             waiter           its waker          -                  waited, ns    -        a WaitKind
//
// Of what happens inside a process, between its messages:
//
//   POINT            its process      -                  -                  -             -        a primitive event
//   VALUE            its process      -                  -                  the value     -        a primitive event
//
// Of a whole machine (1988 paper V.B):
//
//   SUMMARY          the meter        -                  -                  the value     ms       a MachineQuantity
//
// The kind of a socket is domain << 16 | type << 8 | protocol. A GAP is a range of a stream's bytes that passed the
// meter unseen; peers are filled in where they are known. A WAIT is the end of a wait for something other than a
// message: the waiter continues because its peer did something, then or earlier. `sequence` is how long it had waited.
//
// Of the time that a process has existed, proc_time_ns is what it ran, ready_time_ns what it could have run but waited for
// the CPU, and disk_time_ns what it waited so that no signal wakes it, which is for a disk. The rest it waited for
// something else: a message, a timer, a person. A source that does not know the last two leaves kNotMeasured in them.
//
// The code of a POINT and of a VALUE is a row of TraceInfo::primitive_events. A value is a whole number with a sign, in
// two's complement (value_of()). The CPU time of the process is 0 where it was not read.
//
// SUMMARYs of a machine come at an interval, one for each quantity that the machine tells (model/machine_quantity.hpp). Their
// process is the meter itself, which is outside the computation. A quantity that is counted has what was added in the last
// length_bytes milliseconds; any other, its value at the end of them.
//
// A dash means the field has no id or is 0. A message is identified by (sender, channel, sequence), on channels of
// ChannelKind::numbered; model/trace_info.hpp defines the identification on the other kinds.
#pragma once

#include <cstdint>
#include <type_traits>

#include "model/event_type.hpp"
#include "model/ids.hpp"
#include "model/time.hpp"

namespace dpm {

// How an event is known: the kernel saw it happen, or it was inferred from other evidence.
enum class Evidence : std::uint8_t { observed = 0, inferred = 1 };

// What ended a WAIT. The numbers are Event::code, on disk, so they never change.
enum class WaitKind : std::uint32_t {
  process_end = 0,  // the peer, a child, has ended
  thread_end = 1,   // the peer, a thread of the same process, has ended
  signal = 2,       // the peer sent a signal
  futex = 3,        // the peer woke the waiter at a futex
};

namespace event_flags {
inline constexpr std::uint16_t kKernelMessage =
    1;  // part of a MOVEDATA or another kernel operation: no RECEIVE will follow
inline constexpr std::uint16_t kMigration = 2;  // this stop or start is a step of a migration
inline constexpr std::uint16_t kNoMessage =
    4;  // a SEND or RECEIVE that is not a message: more bytes of one already begun, or none (analysis/messages)
}  // namespace event_flags

inline constexpr std::uint64_t kNotMeasured = UINT64_MAX;  // of a time

struct Event {
  LocalTime local_time;            // TIME: `machine`'s own clock
  std::uint64_t proc_time_ns = 0;  // PROCTIME: CPU time `process` had used
  std::uint64_t pc = 0;            // where in the program; for simulated programs a number per call site, or 0
  std::uint64_t sequence = 0;      // message number, or byte offset on a stream
  std::uint32_t length_bytes = 0;
  ChannelId channel;
  ProcessId process;
  ProcessId peer;
  std::uint32_t code = 0;
  ChannelId passed_channel;  // the link passed with the message, if any; of a connection, the channel received on
  MachineId machine;
  std::uint16_t load = 0;  // LOADAVERAGE: runnable processes on `machine`
  EventType type = EventType::send;
  Evidence evidence = Evidence::observed;
  std::uint16_t flags = 0;
  std::uint64_t ready_time_ns = kNotMeasured;  // READYTIME: how long `process` had been ready to run and did not run
  std::uint64_t disk_time_ns = kNotMeasured;   // DISKTIME: how long it had waited uninterruptibly

  bool has_ready_time() const { return ready_time_ns != kNotMeasured; }
  bool has_disk_time() const { return disk_time_ns != kNotMeasured; }
};

// The two times do not fit 64 bytes: in 32 bits they would overflow. Copying an event takes 3.2 ns instead of 1.9 (least of
// five, shared cores), where the cheapest analysis takes 13; what keeps events in memory keeps 24 bytes of each.
static_assert(sizeof(Event) == 80, "the batches of 10^8 events are read straight through");
static_assert(std::is_trivially_copyable_v<Event>);

inline bool is_primitive(EventType type) { return type == EventType::point || type == EventType::value; }
// Of a VALUE.
inline std::int64_t value_of(const Event& event) { return static_cast<std::int64_t>(event.sequence); }

}  // namespace dpm
