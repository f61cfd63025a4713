#include "analysis/history/outside_messages.hpp"

namespace dpm {

OutsideMessages::OutsideMessages(const History& history, const WantedMessages& wanted)
    : history_(history), wanted_(wanted) {
  for (const auto& arc : history.external_arcs) {
    from_.emplace(arc.from, arc);
    to_.emplace(arc.to, arc);
  }
  first_unknown_.push_back(0);
  for (std::uint32_t p = 0; p < history.process_count(); ++p) {
    for (std::uint32_t e = history.first_event[p]; e < history.first_event[p + 1]; ++e) {
      if (is_unknown(e)) unknown_.push_back(e);
    }
    first_unknown_.push_back(unknown_.size());
  }
}

void OutsideMessages::begin(bool in_order) {
  received_.assign(!unknown_.empty() && !in_order ? history_.events.size() : 0, 0);
  first_open_.assign(history_.first_event.begin(), history_.first_event.begin() + history_.process_count());
  first_open_unknown_.assign(first_unknown_.begin(), first_unknown_.end() - 1);
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

std::uint32_t OutsideMessages::next_open_unknown(std::uint32_t p) {
  std::size_t& first = first_open_unknown_[p];
  while (first < first_unknown_[p + 1] && !is_open(unknown_[first])) ++first;
  return first < first_unknown_[p + 1] ? unknown_[first] : kNoEvent;
}

std::uint32_t OutsideMessages::next(std::uint32_t p, const ReplayedProcess& process) {
  const std::uint32_t unknown = next_open_unknown(p);
  if (process.takes_outside || unknown == kNoEvent) return unknown;
  const std::uint32_t end = history_.first_event[p + 1];
  std::uint32_t& first = first_open_[p];
  while (first < end && !is_open(first)) ++first;
  return first == unknown && wanted_.includes_outside(p, process, first) ? first : kNoEvent;
}

}  // namespace dpm
