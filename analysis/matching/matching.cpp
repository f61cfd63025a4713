#include "analysis/matching/matching.hpp"

#include <algorithm>
#include <numeric>

#include "model/check.hpp"

namespace dpm {

std::uint64_t Matching::all() const { return std::accumulate(messages.begin(), messages.end(), std::uint64_t{0}); }

double Matching::matched_share() const {
  const std::uint64_t metered = all() - of(Fate::outside);
  const std::uint64_t matched = of(Fate::matched_within) + of(Fate::matched_between);
  return metered == 0 ? 1 : static_cast<double>(matched) / static_cast<double>(metered);
}

std::uint64_t MatchingAnalysis::span_key(const SeenEnd& end) const {
  const bool known = end.channel.value < info_->channels.size();
  const bool by_sender = known && (*info_)[end.channel].kind != ChannelKind::stream;
  const ProcessId sender = end.type == EventType::send ? end.process : end.peer;
  return std::uint64_t{end.channel.value} << 32 | (by_sender ? sender.value : ProcessId::kNone);
}

void MatchingAnalysis::note(const SeenEnd& end) {
  Span& span = spans_[span_key(end)];
  if (end.type == EventType::send) {
    span.first_sent = std::min(span.first_sent, end.sequence);
  } else {
    span.first_received = std::min(span.first_received, end.sequence);
    span.last_received = std::max(span.last_received, end.sequence);
    span.any_received = true;
  }
}

void MatchingAnalysis::on_events(std::span<const Event> batch) {
  DPM_CHECK(info_ != nullptr);
  for (const Event& event : batch) {
    const auto pair = pairs_.add(event);
    if (!pair) continue;
    note(pair->sent);
    note(pair->received);
    const Fate fate = pair->sent.machine == pair->received.machine ? Fate::matched_within : Fate::matched_between;
    ++result_.messages[static_cast<std::size_t>(fate)];
  }
}

bool MatchingAnalysis::was_acquired(ProcessId process) const {
  const ProcessInfo& known = (*info_)[process];
  return known.acquired || (!known.group.is_none() && (*info_)[known.group].acquired);
}

Fate MatchingAnalysis::fate_of(const SeenEnd& end) const {
  if (end.peer.value >= info_->processes.size()) return Fate::lost;
  if (!(*info_)[end.peer].in_computation) return Fate::outside;
  const auto found = spans_.find(span_key(end));
  const Span span = found == spans_.end() ? Span{} : found->second;
  const bool sent = end.type == EventType::send;
  const std::uint64_t first_there = sent ? span.first_received : span.first_sent;
  if (was_acquired(end.peer) && end.sequence < first_there) return Fate::before_acquire;
  if (sent && (!span.any_received || end.sequence > span.last_received)) return Fate::not_received;
  return Fate::lost;
}

void MatchingAnalysis::on_end(const LossReport&) {
  for (const SeenEnd& end : pairs_.take_unmatched()) ++result_.messages[static_cast<std::size_t>(fate_of(end))];
  info_ = nullptr;
}

}  // namespace dpm
