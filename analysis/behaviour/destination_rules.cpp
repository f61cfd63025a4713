#include "analysis/behaviour/destination_rules.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace dpm {
namespace {

// Three choices between two by coin look the same once in 256.
constexpr std::size_t kRepeatedAtLeast = 8;

// Whether the receiver is always the same where `what` is: also if there is only one.
template <typename What>
bool follows(const History& history, const std::vector<ChosenSend>& sends, What what) {
  std::map<std::uint32_t, std::uint32_t> receiver_of;
  return std::all_of(sends.begin(), sends.end(), [&](const ChosenSend& sent) {
    const std::uint32_t receiver = history.events[sent.send].peer;
    return receiver_of.try_emplace(what(sent), receiver).first->second == receiver;
  });
}

}  // namespace

std::optional<DestinationChoice> in_turn(const History& history, const std::vector<std::uint32_t>& sends) {
  DestinationChoice choice{.rule = DestinationChoice::Rule::in_turn, .sends = sends};
  auto& members = choice.members;
  const auto receiver = [&](std::size_t i) { return std::uint32_t{history.events[sends[i]].peer}; };
  while (members.size() < sends.size()) {
    const std::uint32_t next = receiver(members.size());
    if (std::find(members.begin(), members.end(), next) != members.end()) break;
    members.push_back(next);
  }
  const std::size_t n = members.size();
  if (n < 2 || sends.size() < n + kRepeatedAtLeast) return std::nullopt;
  for (std::size_t i = n; i < sends.size(); ++i)
    if (receiver(i) != members[i % n]) return std::nullopt;
  return choice;
}

bool follows_cycle(const History& history, const std::vector<std::uint32_t>& sends,
                   const std::vector<std::uint32_t>& cycle) {
  if (sends.empty()) return false;
  auto at = std::find(cycle.begin(), cycle.end(), history.events[sends.front()].peer);
  return at != cycle.end() && std::all_of(sends.begin(), sends.end(), [&](std::uint32_t send) {
           const std::uint32_t due = *at;
           at = at + 1 == cycle.end() ? cycle.begin() : at + 1;
           return history.events[send].peer == due;
         });
}

std::optional<DestinationChoice> least_outstanding(const History& history, std::uint32_t process,
                                                   const std::vector<std::uint32_t>& sends) {
  std::set<std::uint32_t> receivers;
  for (const std::uint32_t send : sends) receivers.insert(history.events[send].peer);
  if (receivers.size() < 2) return std::nullopt;
  DestinationChoice choice{.rule = DestinationChoice::Rule::least_outstanding,
                           .members = {receivers.begin(), receivers.end()},
                           .sends = sends};
  OutstandingMessages outstanding;
  std::size_t telling = 0;      // SENDs for which the members were not alike
  std::size_t forced = 0;       // those for which one alone owed the fewest
  bool next_of_several = true;  // of several alike, always the next after the one before
  std::size_t at = 0;
  std::size_t answers = 0;
  std::map<std::uint32_t, std::size_t> silent_for;  // by member that has not answered since: SENDs to others
  auto next = sends.begin();
  for (std::uint32_t e = history.first_event[process]; e < history.first_event[process + 1]; ++e) {
    const HistoryEvent& event = history.events[e];
    if (event.peer == kNoPeer) continue;
    if (event.kind() == HistoryKind::receive) {
      outstanding.answered_by(event.peer);
      answers += receivers.contains(event.peer);
      silent_for.erase(event.peer);
    }
    if (event.kind() != HistoryKind::send) continue;
    if (next != sends.end() && *next == e) {
      ++next;
      const std::size_t expected = outstanding.least(choice.members, at);
      const std::uint32_t least = outstanding.of(choice.members[expected]);
      if (outstanding.of(event.peer) != least) return std::nullopt;
      const auto alike = std::count_if(choice.members.begin(), choice.members.end(),
                                       [&](std::uint32_t member) { return outstanding.of(member) == least; });
      telling += static_cast<std::size_t>(alike) < choice.members.size();
      forced += alike == 1;
      next_of_several &= choice.members[expected] == event.peer;
      at = static_cast<std::size_t>(std::find(choice.members.begin(), choice.members.end(), event.peer) -
                                    choice.members.begin()) +
           1;
      for (auto& [member, count] : silent_for) ++count;
      silent_for[event.peer] = 0;
    }
    outstanding.sent_to(event.peer);
  }
  if (telling < kRepeatedAtLeast || 2 * answers < sends.size()) return std::nullopt;
  // One that has failed owes its last answer without end.
  if (std::any_of(silent_for.begin(), silent_for.end(),
                  [](const auto& entry) { return entry.second >= kRepeatedAtLeast; }))
    return std::nullopt;
  // Members in turn owe few answers, too, where there are more of them than requests at a time.
  if (!next_of_several && forced < kRepeatedAtLeast) return std::nullopt;
  return choice;
}

bool follows_message(const History& history, const std::vector<ChosenSend>& sends) {
  return follows(history, sends, [](const ChosenSend& sent) { return sent.after; }) ||
         follows(history, sends, [](const ChosenSend& sent) { return sent.after_bytes; }) ||
         follows(history, sends, [](const ChosenSend& sent) { return sent.bytes; });
}

}  // namespace dpm
