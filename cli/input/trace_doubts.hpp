// Why a prediction from a trace may be of something else than the program: events that are lost, messages with one end,
// and programs that had not ended. With what each could change, as far as the trace knows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/history/history.hpp"
#include "cli/input/trace_input.hpp"

namespace dpm::cli {

// Who had ended when the trace did. In a simulation that ends well everybody ends; real servers are left waiting, or
// killed, so there only a program of which nobody ended counts as one that had not.
class Endings : public EventSink {
 public:
  void on_begin(const TraceInfo& info) override { info_ = &info; }
  void on_events(std::span<const Event> batch) override;
  void on_end(const LossReport& losses) override;

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

struct TraceDoubts {
  std::vector<std::string> sentences;  // empty: none
  // What may be missing at most, relative, if the lost events were like the others; nothing when nothing is lost.
  std::optional<double> lost_T, lost_elapsed;
};

// `clock_error`: of a prediction from this history. Where there is none, what losses did to elapsed time is unknown.
TraceDoubts find_trace_doubts(const TraceInput& input, const History& history, const Endings& endings,
                              std::optional<double> clock_error);

}  // namespace dpm::cli
