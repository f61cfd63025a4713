#include "analysis/history/crossing_messages.hpp"

#include <algorithm>
#include <unordered_map>

namespace dpm {
namespace {

// The SENDs of one sender on one channel, by number.
struct Lane {
  std::vector<std::uint32_t> sends;
  std::size_t next = 0;  // that will be received if the order is kept
};

std::uint64_t lane_of(const MessageKey& key) { return std::uint64_t{key.sender} << 32 | key.channel; }

// By number, as they mostly are. False: a number is there twice.
bool put_in_order(Lane& lane, const std::vector<OpenEnd>& sends) {
  const auto is_before = [&](std::uint32_t a, std::uint32_t b) {
    return sends[a].key.sequence < sends[b].key.sequence;
  };
  const auto is_same = [&](std::uint32_t a, std::uint32_t b) { return sends[a].key.sequence == sends[b].key.sequence; };
  if (!std::is_sorted(lane.sends.begin(), lane.sends.end(), is_before))
    std::sort(lane.sends.begin(), lane.sends.end(), is_before);
  return std::adjacent_find(lane.sends.begin(), lane.sends.end(), is_same) == lane.sends.end();
}

// The place in `lane.sends` of the SEND with this number, or their number.
std::size_t place_of(const Lane& lane, const std::vector<OpenEnd>& sends, std::uint64_t sequence) {
  const auto sequence_at = [&](std::size_t place) { return sends[lane.sends[place]].key.sequence; };
  if (lane.next < lane.sends.size() && sequence_at(lane.next) == sequence) return lane.next;
  const auto found =
      std::lower_bound(lane.sends.begin(), lane.sends.end(), sequence,
                       [&](std::uint32_t send, std::uint64_t s) { return sends[send].key.sequence < s; });
  const bool is_there = found != lane.sends.end() && sends[*found].key.sequence == sequence;
  return is_there ? static_cast<std::size_t>(found - lane.sends.begin()) : lane.sends.size();
}

}  // namespace

JoinedLists join_lists(const std::vector<OpenEnd>& sends, const std::vector<OpenEnd>& receives) {
  JoinedLists joined{std::vector<std::uint32_t>(sends.size(), JoinedLists::kNotReceived),
                     std::vector<bool>(receives.size()), sends.size() < JoinedLists::kNotReceived};
  std::unordered_map<std::uint64_t, Lane> lanes;
  if (joined.is_clear)
    for (std::uint32_t i = 0; i < sends.size(); ++i) lanes[lane_of(sends[i].key)].sends.push_back(i);
  for (auto& [key, lane] : lanes) joined.is_clear &= put_in_order(lane, sends);
  for (std::uint32_t i = 0; i < receives.size() && joined.is_clear; ++i) {
    const auto lane = lanes.find(lane_of(receives[i].key));
    if (lane == lanes.end()) continue;
    const std::size_t place = place_of(lane->second, sends, receives[i].key.sequence);
    if (place == lane->second.sends.size()) continue;
    std::uint32_t& receive = joined.receive_of[lane->second.sends[place]];
    joined.is_clear = receive == JoinedLists::kNotReceived;
    receive = i;
    joined.is_sent[i] = true;
    lane->second.next = place + 1;
  }
  return joined;
}

}  // namespace dpm
