// Where the time of a process or a request of a trace went: exactly, or from samples that were taken meanwhile.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/blame/blame.hpp"
#include "analysis/blame/blame_tree.hpp"
#include "analysis/clocks/clocks.hpp"
#include "analysis/clocks/common_time.hpp"
#include "answers/reading/trace_input.hpp"
#include "model/result.hpp"

namespace dpm::cli {

struct BlameQuestion {
  std::string of;           // the process; empty: the one that was seen longest
  std::size_t request = 0;  // its request with this number; 0: all its time
  // Only this part of its time, since the beginning of its machine, by its clock. Nothing: since its first event, until its last one.
  std::optional<double> from_s, to_s;
  std::vector<LocalTime> begins = {};  // by machine; empty: its first event
  std::string samples;  // a file; empty: that beside a trace which does not have the times itself, if there is one
};

// For several questions of one trace. What it is made of must live as long.
class BlameFinder {
 public:
  BlameFinder(std::span<const Event> events, const ClockAnalysis& clocks, const TraceInput& input);

  // Nothing: the trace has no events. Refuses what the trace does not have.
  Result<std::optional<BlameTree>> find(const BlameQuestion& question) const;
  // By event, on one axis for all machines.
  std::span<const std::int64_t> times_ns() const { return times_ns_; }

 private:
  Result<BlameAnalysis::Interval> interval_of(const BlameQuestion& question, ProcessId process) const;

  std::span<const Event> events_;
  const TraceInput& input_;
  CommonTime time_;
  std::vector<std::int64_t> times_ns_;
  BlameAnalysis blame_;
};

// The same for one.
Result<std::optional<BlameTree>> find_blame(std::span<const Event> events, const ClockAnalysis& clocks,
                                            const TraceInput& input, const BlameQuestion& question);

}  // namespace dpm::cli
