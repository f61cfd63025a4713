// The space-time diagram of a part of a run as it was recorded, by its machines' clocks: no history and no replay is
// needed, so a window of a running program can be drawn from the events of that window alone.
//
// Between two events of a process, PROCTIME says how much of the time it worked. After a RECEIVECALL it waited first, for
// the message; before a WAIT it waited last. Otherwise the work is drawn first, and what is left as other waits: READYTIME and
// DISKTIME say how much of them was for the CPU or a disk, and the rest it was idle. In which order they were is not known.
//
// The critical path of the window: walked back from what ended last. A wait for a message or a child leads to the process
// that ended the wait, everything else to what the process did before.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/event.hpp"
#include "model/trace_info.hpp"

namespace dpm {

// `events` of each process in its order; `times_ns` has one entry for each, on one axis for all machines.
struct RecordedEvents {
  std::span<const Event> events;
  std::span<const std::int64_t> times_ns;
};

enum class RecordedKind : std::uint8_t {
  work = 0,
  message_wait = 1,
  other_wait = 2,  // for the CPU or idle: not measured which
  child_wait = 3,
  cpu_or_disk = 4,
  timer = 5,  // idle, and the trace says that this process is idle for times that it chose
  idle = 6,   // a lock, a signal, a person, a timer
};

struct RecordedSegment {
  ProcessId process;
  RecordedKind kind = RecordedKind::work;
  bool is_critical = false;
  std::int64_t from_ns = 0, to_ns = 0;
  std::uint32_t arc = kNoArc;  // that ended this wait

  static constexpr std::uint32_t kNoArc = 0xffffffffu;
};

enum class RecordedArcKind : std::uint8_t { message = 0, wait = 1, start = 2 };

struct RecordedArc {
  ProcessId from, to;
  RecordedArcKind kind = RecordedArcKind::message;
  bool is_critical = false;
  Evidence evidence = Evidence::observed;
  std::int64_t sent_ns = 0, received_ns = 0;
  std::uint32_t length_bytes = 0;
  ChannelId channel;
  std::uint64_t sequence = 0;  // of the SEND
};

struct RecordedTimeline {
  std::vector<RecordedSegment> segments;  // by process, then time
  std::vector<RecordedArc> arcs;          // in the order of their later ends in `events`
};

// Arcs are those of which both ends are among the events. Which SEND of a datagram a RECEIVE took follows from order and size
// (evidence: inferred); where datagrams were on their way when the events begin, the first may be drawn to later ones.
RecordedTimeline make_recorded_timeline(const RecordedEvents& recorded, const TraceInfo& info);

// The path that ends last before `to_ns`.
void mark_critical_path(RecordedTimeline& timeline, std::int64_t to_ns);

}  // namespace dpm
