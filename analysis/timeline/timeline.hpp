// The space-time diagram of a part of a computation: which processes were busy, which were blocked, which messages were
// on their way (figures 5.5 and 5.7 drawn to scale). A History has no common clock, so a schedule supplies one: when a
// replay completed every event. A replay may give work to other processes and match messages differently than the trace
// did; then the schedule contains these changes.
//
//   red: A   ████░░░░░██████        █ busy (computing, or sharing the CPU)   ░ blocked in a receive
//               \    /
//   blue: B  ░░░░███░░░░░░░░
// Of a RECEIVE that waited only its CPU time and its completion are known. The CPU time is drawn first, undivided, and
// the rest as blocked: with CPU sharing, part of the time drawn as blocked was a wait for the CPU.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/history/history.hpp"

namespace dpm {

// Each span has one entry for each event of the history, or is empty where the trace's own order applies.
struct TimelineSchedule {
  static constexpr std::uint64_t kNotPerformed = ~std::uint64_t{0};

  std::span<const std::uint64_t> completion_ns;      // never empty
  std::span<const std::uint32_t> performed_by = {};  // process; empty: the one of the trace
  std::span<const std::uint32_t> previous = {};      // event its process performed before, or kNoEvent
  std::span<const std::uint32_t> cause = {};         // RECEIVE: the SEND it took, or kNoEvent
  std::span<const std::uint8_t> waited = {};  // RECEIVE: 0 if its message was there before the process asked for it
};

struct TimelineWindow {
  std::uint64_t from_ns = 0, to_ns = 0;  // [from, to)
  // Beyond these limits the shortest are omitted first: a drawing could not show them anyway.
  std::size_t segments_max = 4000;
  std::size_t arcs_max = 2000;
  std::size_t rows_max = 64;  // the processes with the most segments and arcs in the window
};

struct TimelineRow {
  ProcessId process;
  MachineId machine;
};

enum class SegmentKind : std::uint8_t { busy, blocked };

struct TimelineSegment {
  std::uint32_t row = 0;
  SegmentKind kind = SegmentKind::busy;
  std::uint64_t from_ns = 0, to_ns = 0;  // clipped to the window
};

enum class ArcOf : std::uint8_t {
  message,
  wait,  // from the event that let a process continue to the event where it did
};

struct TimelineArc {
  std::uint32_t from_row = 0, to_row = 0;
  std::uint64_t sent_ns = 0,
                received_ns = 0;  // not clipped: the drawing code clips the line, so that its slope stays true
  std::uint32_t length_bytes = 0;
  ArcOf of = ArcOf::message;
};

struct Timeline {
  std::uint64_t from_ns = 0, to_ns = 0;
  std::vector<TimelineRow> rows;          // by machine, then process; only processes that exist in the window
  std::vector<TimelineSegment> segments;  // by row, then time
  std::vector<TimelineArc> arcs;          // by time sent, then rows

  std::uint64_t rows_left_out = 0, segments_left_out = 0, arcs_left_out = 0;
  std::uint64_t outside_messages = 0;  // sent or received in the window, other end not in the history
  std::uint64_t not_performed = 0;     // events the schedule never reached
};

// `machine_of` gives where each process ran in that schedule; where it is shorter, the trace's own placement applies.
Timeline make_timeline(const History& history, const TimelineSchedule& schedule, const TimelineWindow& window,
                       std::span<const MachineId> machine_of = {});

}  // namespace dpm
