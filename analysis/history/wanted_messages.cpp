#include "analysis/history/wanted_messages.hpp"

namespace dpm {

WantedMessages::WantedMessages(const History& history, const Roles& roles, const Destinations& destinations,
                               const ReplicaChoice& replicas)
    : history_(history),
      roles_(roles),
      destinations_(destinations),
      sets_(history.info),
      limits_(find_intake_limits(history)) {
  if (replicas.empty()) return;
  for (std::uint32_t p = 0; p < limits_.size(); ++p) limits_[p] = limits_[replicas.server_of(p)];
}

bool WantedMessages::takes_any(std::uint32_t p, const Standing& at) const {
  if (at.takes_any) return true;
  if (roles_.keeps(p)) return false;
  return is_limited(p, at) ? !is_full(p, at) : set_at(at) == 0;
}

bool WantedMessages::includes(std::uint32_t p, const Standing& at, const ArrivingMessage& message) const {
  if (takes_any(p, at)) return true;
  if (roles_.keeps(p)) return message.receive == at.cursor;
  if (is_full(p, at)) return !limits_[p].limited[message.sender];
  if (set_at(at) >= history_.info.channel_sets.size()) return true;
  const HistoryEvent& sent = history_.events[message.send];
  if (waits_for_task(p, at)) return message.sender == roles_.dispatcher_of[p];
  if (at.source != sent.peer && begins_piece(at.cursor) && begins_piece(message.receive)) return true;
  if (sent.match == kNoEvent) return includes_outside(p, at, message.receive);
  return sets_.holds(set_at(at), {sent.channel});
}

bool WantedMessages::includes_outside(std::uint32_t p, const Standing& at, std::uint32_t receive) const {
  const std::uint32_t traced = history_.events[receive].channel;
  return takes_any(p, at) || traced == 0 || set_at(at) == traced;
}

void WantedMessages::received(std::uint32_t p, Standing& at, std::uint32_t sender) const {
  if (is_limited(p, at) && limits_[p].limited[sender]) ++at.in_progress;
}

void WantedMessages::sent(std::uint32_t p, Standing& at, std::uint32_t receiver) const {
  if (at.in_progress > 0 && receiver < limits_[p].limited.size() && limits_[p].limited[receiver]) --at.in_progress;
}

// The set is that of the process whose history is performed.
bool WantedMessages::is_limited(std::uint32_t p, const Standing& at) const {
  return limits_[p].exists() && (limits_[p].governs(set_at(at)) || limits_[at.source].governs(set_at(at)));
}

bool WantedMessages::is_full(std::uint32_t p, const Standing& at) const {
  return is_limited(p, at) && at.in_progress >= limits_[p].most;
}

bool WantedMessages::waits_for_task(std::uint32_t p, const Standing& at) const {
  if (!with_roles_ || !roles_.is_worker(p)) return false;
  const HistoryEvent& event = history_.events[at.cursor];
  return event.kind() == HistoryKind::end || event.peer == roles_.dispatcher_of[p];
}

}  // namespace dpm
