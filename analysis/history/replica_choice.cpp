#include "analysis/history/replica_choice.hpp"

#include <algorithm>
#include <numeric>

#include "model/check.hpp"

namespace dpm {

ReplicaChoice::ReplicaChoice(const History& history, const std::vector<Replicas>& replicas) {
  if (replicas.empty()) return;
  server_of_.resize(history.process_count());
  std::iota(server_of_.begin(), server_of_.end(), 0u);
  group_of_.assign(history.process_count(), kNone);
  for (const Replicas& server : replicas) {
    DPM_CHECK(group_of_.at(server.process) == kNone);
    group_of_[server.process] = static_cast<std::uint32_t>(groups_.size());
    Group& group = groups_.emplace_back();
    group.members = {server.process};
    group.members.insert(group.members.end(), server.copies.begin(), server.copies.end());
    for (const std::uint32_t member : group.members) server_of_.at(member) = server.process;
    group.first_event = history.first_event[server.process];
    group.first_request = server.work.first_request;
    group.piece_of = server.work.piece_of;
    group.turn_of.resize(history.process_count());
  }
}

void ReplicaChoice::begin() {
  for (Group& group : groups_) {
    group.holder_of.assign(group.piece_of.size(), group.members.front());
    std::fill(group.turn_of.begin(), group.turn_of.end(), 0);
  }
}

std::uint32_t ReplicaChoice::first_request_of(std::uint32_t copy) const {
  return groups_[group_of_[server_of_[copy]]].first_request;
}

std::uint32_t ReplicaChoice::receiver_of(std::uint32_t sender, const HistoryEvent& send) const {
  const std::uint32_t number = group_of_[send.peer];
  if (number == kNone) return send.peer;
  const Group& group = groups_[number];
  const std::uint32_t piece = group.piece_of[send.match - group.first_event];
  if (piece == kNoEvent) return send.peer;
  if (piece != send.match) return group.holder_of[piece - group.first_event];
  return group.members[group.turn_of[sender] % group.members.size()];
}

void ReplicaChoice::sent(std::uint32_t sender, const HistoryEvent& send) {
  const std::uint32_t number = group_of_[send.peer];
  if (number == kNone) return;
  Group& group = groups_[number];
  const std::uint32_t at = send.match - group.first_event;
  if (group.piece_of[at] != send.match) return;
  group.holder_of[at] = receiver_of(sender, send);
  ++group.turn_of[sender];
}

}  // namespace dpm
