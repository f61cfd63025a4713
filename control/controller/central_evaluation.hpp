// The high-level events whose parts are on several machines, evaluated where their events come together (S3 4.1.7).
//
// Events of different machines are ordered as they come here, and "within" compares the clocks of machines. No message between
// processes is seen here, so a "then" joins events of one process; a metered trace joins more.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/vector_clocks/running_clocks.hpp"
#include "control/protocol/control_message.hpp"
#include "filter/scripts/event_evaluator.hpp"

namespace dpm::control {

class CentralEvaluation {
 public:
  struct Found {
    std::size_t event = 0;  // in EventScript::high_level
    std::int64_t time_ns = 0;
    std::string machine;  // of the first part
    std::uint32_t pid = 0;
    std::string text;
  };

  // The script must outlive it.
  explicit CentralEvaluation(const EventScript& script);
  CentralEvaluation(const CentralEvaluation&) = delete;

  // Evaluated here, or by a machine.
  void place(std::size_t high_level, bool is_here);
  // `event` in EventScript::events.
  void add(std::size_t event, const std::string& machine, const EventSeen& seen);
  // No event that is older will come.
  void time_is(std::int64_t time_ns) { evaluator_.time_is(time_ns); }
  std::vector<Found> take_found() { return std::exchange(found_, {}); }
  // The states of all processes that were seen, as lines.
  std::vector<std::string> snapshot() const;

 private:
  struct Process {
    std::string machine;
    std::uint32_t pid = 0;
    std::uint64_t events = 0;
    std::string last;
  };
  void keep(const HighLevelOccurrence& occurrence);

  const EventScript& script_;
  std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> numbers_;  // by machine and pid
  std::vector<Process> processes_;
  RunningClocks clocks_;
  std::vector<Found> found_;
  EventEvaluator evaluator_;
};

}  // namespace dpm::control
