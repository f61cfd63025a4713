// How the child that simulates talks to its parent: frames over a pipe. Both ends are the same program on the same
// machine, so the bytes are plain memory. Events go in batches of thousands, after the table entries that they use.
#pragma once

#include <cstdint>
#include <string>

#include "backends/sim/sim_truth.hpp"
#include "model/event_source.hpp"
#include "model/scenario.hpp"
#include "model/trace_growth.hpp"

namespace dpm::sim {

enum class FrameKind : std::uint32_t { growth = 1, events = 2, end = 3 };

struct FrameHeader {
  FrameKind kind = FrameKind::end;
  std::uint32_t size_bytes = 0;
};

// What the trace of a (valid) scenario names before anything has run: its machines, and its processes in order.
// Parent and child both begin with it.
TraceInfo initial_trace_info(const Scenario& scenario);
std::uint16_t filter_index(const TraceInfo& info, const std::string& filter);

// Additions to the tables that a simulation makes: processes, channels and sets of channels.
std::string encode_growth(TraceGrowth growth);
TraceGrowth decode_growth(const std::string& payload);

// The last frame. `error` is empty unless the run failed.
struct RunEnd {
  LossReport losses;
  SimTruth truth;
  std::string error;
};

std::string encode_end(RunEnd end);
RunEnd decode_end(const std::string& payload);

}  // namespace dpm::sim
