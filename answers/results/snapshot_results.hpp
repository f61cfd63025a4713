// The states of all processes at a consistent cut, as tables and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analysis/vector_clocks/snapshot.hpp"
#include "analysis/vector_clocks/vector_clock.hpp"
#include "model/trace_info.hpp"

namespace dpm::cli {

struct SnapshotView {
  const Snapshot& snapshot;
  const TraceInfo& info;
  // Of the event that the cut is at, if it is at one: which events of each process happened before it.
  const VectorClock* before = nullptr;
};

std::string snapshot_text(const SnapshotView& view, int width);
nlohmann::ordered_json snapshot_json(const SnapshotView& view);

}  // namespace dpm::cli
