// Recognizes high-level events among the primitive events that are passed to it. Pure: it reads no clock and prints nothing.
//
// Primitive events come causes before effects, with a time and the vector clock of their process. "then" asks the clocks, and
// "within" the times. Each occurrence takes part once in each place of an event: what comes later is joined with the latest
// that is waiting and fits, which is then used up. What waits for a part that does not come is bounded: see given_up().
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "analysis/vector_clocks/vector_clock.hpp"
#include "filter/scripts/event_script.hpp"

namespace dpm {

// A primitive event that happened, as the count-th event of its process.
struct PrimitiveOccurrence {
  std::size_t event = 0;  // in EventScript::events
  std::uint32_t process = 0, count = 0;
  std::int64_t time_ns = 0;
  std::array<WholeNumber, kOccurrenceFieldNames.size()> fields{};  // by OccurrenceField
};

// The primitive events that a high-level one was made of, in the order in which they came.
struct HighLevelOccurrence {
  std::size_t event = 0;     // in EventScript::high_level
  std::int64_t time_ns = 0;  // when it was complete: for "then not", when the time was over
  std::vector<PrimitiveOccurrence> parts;
};

class ExpressionState;
struct Match;

class EventEvaluator {
 public:
  using Report = std::function<void(const HighLevelOccurrence&)>;

  // The script must outlive the evaluator. `report` gets each occurrence of an event that is not only counted.
  EventEvaluator(const EventScript& script, Report report);
  ~EventEvaluator();
  EventEvaluator(const EventEvaluator&) = delete;

  // The script has more definitions than before, or this one is another or gone: what waited for it is forgotten.
  void redefine(std::size_t high_level);
  // It is evaluated elsewhere, until it is redefined.
  void leave_out(std::size_t high_level);

  void add(const PrimitiveOccurrence& occurrence, const VectorClock& clock);
  // No primitive event before this time will come.
  void time_is(std::int64_t time_ns);

  // How often the event happened.
  std::uint64_t count_of(std::size_t high_level) const { return states_[high_level].count; }
  // Occurrences that were given up because too many waited (kWaitingMost in each place): events may be missing.
  std::uint64_t given_up() const;

 private:
  struct State {
    std::unique_ptr<ExpressionState> expression;
    std::uint64_t count = 0;
    std::uint64_t regions_open = 0;
    std::uint64_t region_ended_at = 0;  // number of the occurrence that ended the last
  };
  void finish(std::size_t high_level);

  std::vector<std::size_t>& users_of(std::size_t primitive);

  const EventScript& script_;
  Report report_;
  std::vector<State> states_;
  std::vector<std::vector<std::size_t>> used_by_;  // by primitive event: high-level events
  std::vector<Match> complete_;
  std::uint64_t occurrences_ = 0;
};

}  // namespace dpm
