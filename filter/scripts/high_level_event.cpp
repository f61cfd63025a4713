#include "filter/scripts/high_level_event.hpp"

#include <algorithm>

namespace dpm {
namespace {

void collect(const EventExpression& expression, std::vector<std::size_t>& events) {
  if (expression.kind == EventExpression::Kind::primitive) events.push_back(expression.event);
  for (const EventExpression& part : expression.parts) collect(part, events);
}

}  // namespace

std::vector<std::size_t> primitive_events_of(const HighLevelEvent& event) {
  std::vector<std::size_t> events;
  collect(event.expression, events);
  if (event.during) events.insert(events.end(), {event.during->begin, event.during->end});
  std::sort(events.begin(), events.end());
  events.erase(std::unique(events.begin(), events.end()), events.end());
  return events;
}

}  // namespace dpm
