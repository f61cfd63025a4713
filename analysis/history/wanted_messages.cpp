#include "analysis/history/wanted_messages.hpp"

namespace dpm {

WantedMessages::WantedMessages(const History& history, const Roles& roles, const Turns& turns,
                               const ReplicaChoice& replicas)
    : history_(history), roles_(roles), turns_(turns), sets_(history.info), limits_(find_intake_limits(history)) {
  if (replicas.empty()) return;
  for (std::uint32_t p = 0; p < limits_.size(); ++p) limits_[p] = limits_[replicas.server_of(p)];
}

bool WantedMessages::takes_any(std::uint32_t p, const Standing& at) const {
  if (at.takes_any) return true;
  return limits_[p].governs(set_at(at)) ? !is_full(p, at) : set_at(at) == 0;
}

bool WantedMessages::includes(std::uint32_t p, const Standing& at, const ArrivingMessage& message) const {
  if (takes_any(p, at)) return true;
  if (is_full(p, at)) return ends_work(p, message);
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

std::int64_t WantedMessages::progress(std::uint32_t p, const Standing& at, const ArrivingMessage& message) const {
  if (!limits_[p].governs(set_at(at))) return 0;
  return ends_work(p, message) ? -1 : 1;
}

bool WantedMessages::is_full(std::uint32_t p, const Standing& at) const {
  return limits_[p].governs(set_at(at)) && at.in_progress >= limits_[p].most;
}

// The message names channels as the process knew them that received it in the trace.
bool WantedMessages::ends_work(std::uint32_t p, const ArrivingMessage& message) const {
  const HistoryEvent& sent = history_.events[message.send];
  const std::uint32_t traced = sent.match == kNoEvent ? p : sent.peer;
  const IntakeLimit& limit = limits_[limits_[traced].most > 0 ? traced : p];
  if (limit.answers != 0) return sets_.holds(limit.answers, {sent.channel});
  return message.sender < limit.answered_by.size() && limit.answered_by[message.sender];
}

bool WantedMessages::waits_for_task(std::uint32_t p, const Standing& at) const {
  if (!with_roles_ || !roles_.is_worker(p)) return false;
  const HistoryEvent& event = history_.events[at.cursor];
  return event.kind() == HistoryKind::end || event.peer == roles_.dispatcher_of[p];
}

}  // namespace dpm
