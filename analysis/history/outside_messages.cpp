#include "analysis/history/outside_messages.hpp"

namespace dpm {

OutsideMessages::OutsideMessages(const History& history, const WantedMessages& wanted)
    : history_(history), wanted_(wanted) {
  for (const auto& arc : history.external_arcs) {
    from_.emplace(arc.from, arc);
    to_.emplace(arc.to, arc);
  }
  come_to_.assign(history.process_count(), 0);
  for (std::uint32_t p = 0; p < history.process_count(); ++p) {
    for (std::uint32_t e = history.first_event[p]; e < history.first_event[p + 1] && come_to_[p] == 0; ++e) {
      if (is_unknown(e)) come_to_[p] = 1;
    }
    come_to_any_ = come_to_any_ || come_to_[p] != 0;
  }
}

void OutsideMessages::begin(bool in_order) {
  received_.assign(come_to_any_ && !in_order ? history_.events.size() : 0, 0);
  first_open_.assign(history_.first_event.begin(), history_.first_event.begin() + history_.process_count());
}

const ExternalArc* OutsideMessages::answer_to(std::uint32_t send) const {
  const auto found = from_.find(send);
  return found == from_.end() ? nullptr : &found->second;
}

std::uint32_t OutsideMessages::cause_of(std::uint32_t receive) const {
  const auto found = to_.find(receive);
  return found == to_.end() ? kNoEvent : found->second.from;
}

bool OutsideMessages::is_unknown(std::uint32_t e) const {
  const HistoryEvent& event = history_.events[e];
  return event.kind() == HistoryKind::receive && event.match == kNoEvent && !to_.contains(e);
}

std::uint32_t OutsideMessages::next(std::uint32_t p, const ReplayedProcess& process) {
  const std::uint32_t end = history_.first_event[p + 1];
  std::uint32_t& first = first_open_[p];
  while (first < end && !is_open(first)) ++first;
  if (process.takes_outside) {
    for (std::uint32_t e = first; e < end; ++e) {
      if (is_open(e) && is_unknown(e)) return e;
    }
  }
  return first < end && is_unknown(first) && wanted_.includes_outside(p, process, first) ? first : kNoEvent;
}

}  // namespace dpm
