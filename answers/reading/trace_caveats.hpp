// Why a prediction from a trace may differ from what the program does: lost events, messages with only one end, and
// programs that had not ended. Each caveat says how much it could change, as far as the trace can tell.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/history/history.hpp"
#include "answers/reading/trace_input.hpp"
#include "model/divided_sink.hpp"

namespace dpm::cli {

// Which processes had ended when the trace did. In a scripted run that ends well every process ends. Real servers are
// left waiting, or killed, so a program of theirs counts as not ended only if none of its processes had ended.
class Endings : public DividedSink {
 public:
  void on_begin(const TraceInfo& info) override { info_ = &info; }
  void on_events(std::span<const Event> batch) override;
  void on_end(const LossReport& losses) override;
  void give(ByteWriter& out) override;
  void take(ByteReader& in) override;

  // "'a' waits for a message, 'b' was at work", or nothing. Known only where RECEIVECALL or DESTROYPROCESS is metered.
  const std::string& not_ended() const { return not_ended_; }

 private:
  struct Process {
    bool seen = false, waits = false, ended = false;
  };

  const TraceInfo* info_ = nullptr;
  std::vector<Process> processes_;
  bool endings_metered_ = false;
  std::string not_ended_;
};

struct TraceCaveats {
  std::vector<std::string> sentences;  // empty: none
  // The largest relative error if the lost events were like the others; empty when nothing is lost.
  std::optional<double> lost_T, lost_elapsed;
};

// `clock_error` is that of a prediction from this history. Without one, the effect of losses on elapsed time is unknown.
TraceCaveats find_trace_caveats(const TraceInput& input, const History& history, const Endings& endings,
                                std::optional<double> clock_error);

}  // namespace dpm::cli
