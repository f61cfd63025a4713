// How the child that simulates talks to its parent: frames over a pipe, both ends the same program on the same machine,
// so the bytes are plain memory. Events go in batches of thousands, preceded by the names they use that are new.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "backends/sim/sim_truth.hpp"
#include "model/event_source.hpp"
#include "model/scenario.hpp"

namespace dpm::sim {

enum class FrameKind : std::uint32_t { names = 1, events = 2, end = 3 };

struct FrameHeader {
  FrameKind kind = FrameKind::end;
  std::uint32_t size_bytes = 0;
};

// What the trace of a (valid) scenario names before anything has run: its machines, its processes in order, and the
// links it wires in order. Parent and child both begin with it.
TraceInfo initial_trace_info(const Scenario& scenario);
std::uint16_t filter_index(const TraceInfo& info, const std::string& filter);

// How much of a TraceInfo the other side has.
struct NamesSent {
  std::size_t processes = 0;
  std::size_t channels = 0;
  std::size_t channel_sets = 0;

  static NamesSent all_of(const TraceInfo& info);
  friend bool operator==(const NamesSent&, const NamesSent&) = default;
};

std::string encode_names(const TraceInfo& info, NamesSent already_sent);
void append_names(const std::string& payload, TraceInfo& info);

// The last frame. `error` is empty when the run was one.
struct RunEnd {
  LossReport losses;
  SimTruth truth;
  std::string error;
};

std::string encode_end(const RunEnd& end);
RunEnd decode_end(const std::string& payload);

}  // namespace dpm::sim
