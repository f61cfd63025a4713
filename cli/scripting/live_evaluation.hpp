// High-level events among what a script finds while the programs run. Processes are ordered by themselves only: no message
// between them is seen here. The same script finds more in a metered trace.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/vector_clocks/running_clocks.hpp"
#include "cli/scripting/script_watch.hpp"
#include "filter/scripts/event_evaluator.hpp"

namespace dpm::cli {

class LiveEvaluation {
 public:
  using Act = std::function<std::vector<std::string>(const HighLevelOccurrence&)>;
  // Lines without the time, or a line of JSON.
  using Print = std::function<void(const HighLevelOccurrence& found, const std::string& text)>;
  // `print` gets each event that is to be reported. `act` performs its actions, and says what it did.
  LiveEvaluation(const ScriptWatch& watch, Act act, Print print, bool as_json);
  LiveEvaluation(const LiveEvaluation&) = delete;

  // What was taken in one look; nothing older than `before_ns` will come.
  void add(std::span<const Occurrence> occurrences, std::int64_t before_ns);
  const EventEvaluator& evaluator() const { return evaluator_; }
  void redefine(std::size_t high_level) { evaluator_.redefine(high_level); }

 private:
  // Of a program: what a snapshot says. Programs are ordered by themselves only, so any of their states are a consistent cut.
  struct State {
    std::uint64_t events = 0;
    std::optional<Occurrence> last;
  };
  void report(const HighLevelOccurrence& found);
  std::string name_of(std::size_t program) const;
  std::string text_of(const HighLevelOccurrence& found, const std::vector<std::string>& done) const;
  std::string json_of(const HighLevelOccurrence& found, const std::vector<std::string>& done) const;
  std::vector<std::string> snapshot() const;

  const ScriptWatch& watch_;
  Act act_;
  Print print_;
  bool as_json_;
  std::vector<State> states_;  // by program
  RunningClocks clocks_;
  EventEvaluator evaluator_;
};

}  // namespace dpm::cli
