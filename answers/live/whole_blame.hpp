// Where the time of a process of the whole trace went, and what its processes were doing, as the page shows it: sections of
// figures, as in a report (docs/live-page.md).
//
// It keeps the events of the trace: a trace with more than kEventsMost has none.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/clocks/clocks.hpp"
#include "answers/findings/blame_findings.hpp"
#include "answers/reading/event_keeper.hpp"
#include "answers/reading/trace_input.hpp"
#include "sampling/counts/count_array.hpp"
#include "view/answers/answer.hpp"

namespace dpm::cli {

// Counts, and a divided time, as sections of figures.
view::Json states_json(const sampling::CountArray& counts);
view::Json blame_section_json(const BlameTree& tree, const TraceInfo& info);

class WholeBlame {
 public:
  static constexpr std::uint64_t kEventsMost = 1'000'000;

  // For the reading.
  std::vector<EventSink*> sinks() { return {&clocks_, &keeper_}; }
  // After it. `input` must live as long as this.
  void finish(const TraceInput& input);

  Result<view::Json> blame(const BlameQuestion& question) const;
  // The states of all processes, where the trace has the times of waiting.
  Result<view::Json> states() const;

 private:
  ClockAnalysis clocks_;
  EventKeeper keeper_;
  const TraceInput* input_ = nullptr;
  std::optional<BlameFinder> finder_;
};

}  // namespace dpm::cli
