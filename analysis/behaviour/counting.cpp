#include "analysis/behaviour/counting.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "analysis/behaviour/requests.hpp"
#include "analysis/history/message_costs.hpp"
#include "analysis/history/target.hpp"

namespace dpm {
namespace {

constexpr std::uint64_t kEqualIntervalsAtLeast =
    4;  // three equal intervals: by chance, with a coin for each message, one in 64

// A sender that is ahead may be heard from twice before another is heard from once.
constexpr std::uint64_t kAhead = 2;

// What a process does with the messages it takes over one set of channels.
struct Taken {
  std::map<std::uint32_t, std::uint64_t> senders;  // how many messages of each
  std::uint64_t times = 0;
  std::uint64_t since = 0;  // it last went on
  std::uint64_t every = 0;
  bool regular = true;
  std::vector<std::uint32_t> order, first_order;  // of the senders of an interval
  bool in_one_order = true;
  bool works_between = false;

  void note(std::uint32_t sender, bool goes_on, bool works) {
    ++senders[sender];
    ++since;
    order.push_back(sender);
    if (!goes_on) {
      works_between |= works;
      return;
    }
    if (first_order.empty()) first_order = order;
    in_one_order &= order == first_order;
    order.clear();
    if (every == 0) every = since;
    regular &= since == every;
    since = 0;
    ++times;
  }

  // As many senders as messages per interval, and all have sent equally much.
  bool one_of_each() const {
    if (senders.size() != every) return false;
    const auto [least, most] = std::minmax_element(senders.begin(), senders.end(),
                                                   [](const auto& a, const auto& b) { return a.second < b.second; });
    return most->second - least->second <= kAhead;
  }
};

std::optional<Counting> counting_of(const History& history, MessageCosts& costs, std::uint32_t p) {
  std::map<std::uint32_t, Taken> by_set;
  const std::uint32_t end = history.first_event[p + 1];
  std::uint32_t e = history.first_event[p];
  while (e < end) {
    const HistoryEvent& begin = history.events[e];
    if (begin.kind() != HistoryKind::receive) {
      ++e;
      continue;
    }
    if (begin.match == kNoEvent)
      return std::nullopt;  // it came from outside: when it comes on another placement is not known
    const AfterReceive after = after_receive(history, costs, p, e);
    by_set[begin.channel].note(begin.peer, after.sends, after.works());
    e = after.next;
  }
  for (const auto& [set, taken] : by_set) {
    if (!taken.regular || taken.every < 2 || taken.times < kEqualIntervalsAtLeast || !taken.one_of_each()) continue;
    const auto is_sender = [&, &of_set = taken.senders](const auto& sender) { return of_set.contains(sender.first); };
    const bool elsewhere = std::any_of(by_set.begin(), by_set.end(), [&, own = set](const auto& other) {
      return other.first != own && std::any_of(other.second.senders.begin(), other.second.senders.end(), is_sender);
    });
    if (elsewhere) continue;
    Counting counting{{p}, taken.every, {}, taken.times, taken.in_one_order || taken.works_between};
    for (const auto& sender : taken.senders) counting.senders.push_back(sender.first);
    return counting;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Counting> find_counting(const History& history) {
  std::vector<Counting> found;
  const Target here = traced_without_messages(history);
  MessageCosts costs(history, here);
  costs.move(here.machine_of);
  for (std::uint32_t p = 0; p < history.process_count(); ++p)
    if (auto counting = counting_of(history, costs, p)) found.push_back(std::move(*counting));
  return found;
}

}  // namespace dpm
