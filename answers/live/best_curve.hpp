// The best P over time: what the order of messages permits, with a CPU for each process and messages that take no time.
// The whole run has one such number; here each part of the run has its own, from a sample of its events.
//
// A sample is the middle of a part, with at most kEventsMost events. Only messages of which both ends are in the sample hold
// something up there, so a sample that is short beside its messages' ways looks more parallel than it is.
// At most kPartsMost parts are kept: when there are more, or the run is far ahead, parts become twice as long.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/levels/machine_offsets.hpp"
#include "answers/live/live_recording.hpp"

namespace dpm::cli {

// P of a window's events on unlimited machines without delays; nothing if they show none.
std::optional<double> best_P(const LiveRecording::Window& window, RunTime from, RunTime to, const TraceInfo& info);

class BestCurve {
 public:
  static constexpr std::uint64_t kEventsMost = 20'000;
  static constexpr std::size_t kPartsMost = 512;

  struct Part {
    RunTime from, to;
  };
  // The part that is not known yet and lies in the past; none: wait.
  std::optional<Part> next(RunTime now);
  // What was found in it.
  void add(std::optional<double> P);

  // By bin between two edges: the mean of its parts, NaN where none is known.
  std::vector<double> between(std::span<const RunTime> edges) const;

 private:
  void widen();

  std::int64_t width_ns_ = 1'000'000;
  std::vector<double> parts_;  // NaN: not known
};

// The events of a sample of the part.
std::optional<LiveRecording::Window> sample_of(BestCurve::Part& part, LiveRecording& recording);

}  // namespace dpm::cli
