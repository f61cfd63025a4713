#include "filter/scripts/event_evaluator.hpp"

#include <algorithm>

#include "filter/scripts/expression_state.hpp"

namespace dpm {

EventEvaluator::EventEvaluator(const EventScript& script, Report report)
    : script_(script), report_(std::move(report)), used_by_(script.events.size()) {
  for (std::size_t h = 0; h < script.high_level.size(); ++h) redefine(h);
}

void EventEvaluator::leave_out(std::size_t h) {
  for (std::vector<std::size_t>& users : used_by_) std::erase(users, h);
}

void EventEvaluator::redefine(std::size_t h) {
  const HighLevelEvent& event = script_.high_level[h];
  if (h < states_.size())
    leave_out(h);
  else
    states_.resize(h + 1);
  const std::uint64_t count = states_[h].count;
  states_[h] = {std::make_unique<ExpressionState>(event.expression, false), count};
  if (!event.is_defined) return;
  for (const std::size_t primitive : primitive_events_of(event)) users_of(primitive).push_back(h);
}

std::vector<std::size_t>& EventEvaluator::users_of(std::size_t primitive) {
  if (used_by_.size() <= primitive) used_by_.resize(primitive + 1);
  return used_by_[primitive];
}

EventEvaluator::~EventEvaluator() = default;

void EventEvaluator::add(const PrimitiveOccurrence& occurrence, const VectorClock& clock) {
  ++occurrences_;
  for (const std::size_t h : users_of(occurrence.event)) {
    State& state = states_[h];
    state.expression->time_is(occurrence.time_ns, complete_);
    finish(h);
    const auto& during = script_.high_level[h].during;
    if (during && occurrence.event == during->begin) ++state.regions_open;
    state.expression->add(occurrence, clock, occurrences_, complete_);
    finish(h);
    if (during && occurrence.event == during->end && state.regions_open > 0) {
      --state.regions_open;
      state.region_ended_at = occurrences_;
    }
  }
}

void EventEvaluator::time_is(std::int64_t time_ns) {
  for (std::size_t h = 0; h < states_.size(); ++h) {
    if (states_[h].expression == nullptr) continue;
    states_[h].expression->time_is(time_ns, complete_);
    finish(h);
  }
}

void EventEvaluator::finish(std::size_t h) {
  State& state = states_[h];
  const HighLevelEvent& event = script_.high_level[h];
  for (const Match& match : complete_) {
    // A region that ended while the event went on counts too.
    if (event.during && state.regions_open == 0 && state.region_ended_at <= match.first_number) continue;
    ++state.count;
    if (event.actions.size() == 1 && event.does(HighLevelActionKind::count)) continue;
    HighLevelOccurrence found{h, match.last_ns, {}};
    for (const Match::Part& part : match.parts) found.parts.push_back(part.occurrence);
    report_(found);
  }
  complete_.clear();
}

std::uint64_t EventEvaluator::given_up() const {
  std::uint64_t sum = 0;
  for (const State& state : states_)
    if (state.expression != nullptr) sum += state.expression->given_up();
  return sum;
}

}  // namespace dpm
