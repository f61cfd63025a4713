// The space-time diagram of a stretch of a computation: who was busy, who was blocked, which messages were under way
// (figures 5.5 and 5.7 drawn to scale).
//
// A History has no common clock, so a schedule supplies one: the completion time of every event, as a replay computed
// it.
//
//   red: A   ████░░░░░██████        █ busy (computing, or sharing the CPU)   ░ blocked in a receive
//               \    /
//   blue: B  ░░░░███░░░░░░░░
//
// Of a RECEIVE only its CPU time and its completion are known. The CPU time is drawn first, undivided, and the rest as
// blocked: under CPU sharing part of what is drawn as blocked was a wait for the CPU.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/history/history.hpp"

namespace dpm {

struct TimelineWindow {
  std::uint64_t from_ns = 0, to_ns = 0;  // [from, to)
  // Beyond these the shortest are left out first: they are what a drawing could not show anyway.
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

struct TimelineArc {
  std::uint32_t from_row = 0, to_row = 0;
  std::uint64_t sent_ns = 0,
                received_ns = 0;  // not clipped: whoever draws clips the line, so that its slope stays true
  std::uint32_t length_bytes = 0;
};

struct Timeline {
  std::uint64_t from_ns = 0, to_ns = 0;
  std::vector<TimelineRow> rows;          // by machine, then process; only processes that live in the window
  std::vector<TimelineSegment> segments;  // by row, then time
  std::vector<TimelineArc> arcs;          // by time sent, then rows

  std::uint64_t rows_left_out = 0, segments_left_out = 0, arcs_left_out = 0;
  std::uint64_t outside_messages = 0;  // sent or received in the window, other end not in the history
};

// `completion_ns` has an entry for each event of `history`, and never decreases along a process. `machine_of` says
// where each process ran in that schedule; where it is shorter, the trace's own placement holds.
Timeline make_timeline(const History& history, std::span<const std::uint64_t> completion_ns,
                       const TimelineWindow& window, std::span<const MachineId> machine_of = {});

}  // namespace dpm
