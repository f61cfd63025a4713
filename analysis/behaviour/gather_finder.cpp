#include "analysis/behaviour/gather_finder.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

namespace dpm {
namespace {

constexpr std::size_t kTimesAtLeast = 4;  // fewer may be by chance

struct Gathering {
  std::vector<std::uint32_t> receives;  // of the answers, in order
  std::vector<bool> goes_on;            // after each of them
  std::size_t missing = 0;              // answers, because the trace ends
  std::uint32_t asked = 0;              // the last SEND
};
struct Class {
  std::multiset<std::string> programs;  // of those asked
  auto operator<=>(const Class&) const = default;
};

class GatherFinder {
 public:
  GatherFinder(const History& history, std::uint32_t process)
      : history_(history),
        process_(process),
        first_(history.first_event[process]),
        end_(history.first_event[process + 1]) {}

  void find(FoundGathers& found) {
    if (add_adjacent(found)) return;
    pair_answers();
    find_gatherings();
    for (auto& [alike, gatherings] : classes_) judge(alike.programs.size(), gatherings, found);
  }

 private:
  struct Peer {
    std::vector<std::uint32_t> sends, receives;
  };

  // The k-th message of a peer answers the k-th to it, if that is possible for all: it comes after it at both ends.
  void pair_answers() {
    std::unordered_map<std::uint32_t, Peer> peers;
    for (std::uint32_t e = first_; e < end_; ++e) {
      const HistoryEvent& event = history_.events[e];
      if (event.match == kNoEvent || event.peer == process_) continue;
      if (event.kind() == HistoryKind::send) peers[event.peer].sends.push_back(e);
      if (event.kind() == HistoryKind::receive) peers[event.peer].receives.push_back(e);
    }
    for (const auto& [number, peer] : peers) {
      if (peer.receives.empty() || peer.receives.size() > peer.sends.size()) continue;
      bool answers = true;
      for (std::size_t k = 0; answers && k < peer.receives.size(); ++k)
        answers = peer.sends[k] < peer.receives[k] &&
                  history_.events[peer.sends[k]].match < history_.events[peer.receives[k]].match;
      for (std::size_t k = 0; answers && k < peer.sends.size(); ++k)
        answer_to_[peer.sends[k]] = k < peer.receives.size() ? peer.receives[k] : kNoEvent;
    }
  }

  void find_gatherings() {
    Gathering gathering;
    Class asked;
    std::set<std::uint32_t> receivers;
    const auto end_of_asking = [&] {
      if (asked.programs.size() > 1 && !gathering.receives.empty()) {
        std::sort(gathering.receives.begin(), gathering.receives.end());
        for (const std::uint32_t receive : gathering.receives) gathering.goes_on.push_back(goes_on_after(receive));
        classes_[asked].push_back(std::move(gathering));
      }
      gathering = {};
      asked.programs.clear();
      receivers.clear();
    };
    for (std::uint32_t e = first_; e < end_; ++e) {
      const HistoryEvent& event = history_.events[e];
      if (event.kind() == HistoryKind::receive) end_of_asking();
      if (event.kind() != HistoryKind::send || event.match == kNoEvent || !receivers.insert(event.peer).second)
        continue;
      const auto answer = answer_to_.find(e);
      if (answer == answer_to_.end()) continue;
      if (answer->second == kNoEvent) {
        ++gathering.missing;
      } else {
        gathering.receives.push_back(answer->second);
      }
      gathering.asked = e;
      asked.programs.insert(history_.info.processes[event.peer].program);
    }
    end_of_asking();
  }

  bool goes_on_after(std::uint32_t receive) const {
    for (std::uint32_t e = receive + 1; e < end_ && history_.events[e].kind() != HistoryKind::receive; ++e)
      if (history_.events[e].kind() == HistoryKind::send || history_.events[e].kind() == HistoryKind::create)
        return true;
    return false;
  }

  void judge(std::size_t asked, std::vector<Gathering>& gatherings, FoundGathers& found) const {
    if (gatherings.size() < kTimesAtLeast) return;
    // After each number of answers, and after the answer of each sender: how often it goes on, and does not.
    std::map<std::size_t, std::pair<std::size_t, std::size_t>> by_number;
    std::map<std::uint32_t, std::pair<std::size_t, std::size_t>> by_sender;
    std::size_t goes = 0, stays = 0;
    for (const Gathering& gathering : gatherings) {
      for (std::size_t i = 0; i < gathering.receives.size(); ++i) {
        const bool on = gathering.goes_on[i];
        auto& number = by_number[i];
        auto& sender = by_sender[history_.events[gathering.receives[i]].peer];
        ++(on ? number.first : number.second);
        ++(on ? sender.first : sender.second);
        ++(on ? goes : stays);
      }
    }
    if (goes == 0 || stays == 0) return;  // it reacts to each, or to none
    const auto exceptions = [](const auto& counts) {
      std::size_t sum = 0;
      for (const auto& [key, count] : counts) sum += std::min(count.first, count.second);
      return sum;
    };
    const std::size_t of_number = exceptions(by_number), of_sender = exceptions(by_sender);
    // The last gathering may be cut off by the end of the trace.
    if (of_number > 1 && of_sender > 0) {
      found.open.push_back({process_, gatherings.size(), std::min(of_number, of_sender)});
      return;
    }
    if (of_number > 1) return;
    std::size_t needed = 0;
    for (const auto& [i, count] : by_number)
      if (count.first > count.second) needed = std::max(needed, i + 1);
    found.rules.push_back({process_, asked, needed, gatherings.size(), of_sender == 0});
    for (Gathering& gathering : gatherings) {
      if (gathering.missing > 0 && gathering.receives.size() >= needed)
        found.gathers.add_cut_off({found.gathers.size(), needed, gathering.missing, gathering.asked});
      found.gathers.add(std::move(gathering.receives));
    }
  }

  // Answers that it waits for alone, and takes directly after each other, belong together, whatever it does after them, and if
  // others were not answered in time.
  bool add_adjacent(FoundGathers& found) const {
    std::vector<std::vector<std::uint32_t>> together;
    std::size_t most = 0;
    for (std::uint32_t e = first_, asked = first_; e < end_;) {
      if (history_.events[e].kind() != HistoryKind::receive) {
        ++e;
        continue;
      }
      std::vector<std::uint32_t> receives;
      if (history_.events[e].channel != 0) receives = answers_from(asked, e);
      e += static_cast<std::uint32_t>(std::max<std::size_t>(1, receives.size()));
      asked = e;
      most = std::max(most, receives.size());
      if (receives.size() > 1) together.push_back(std::move(receives));
    }
    if (together.size() < kTimesAtLeast) return false;
    found.rules.push_back({process_, most, most, together.size(), false});
    for (auto& receives : together) found.gathers.add(std::move(receives));
    return true;
  }

  // The RECEIVEs from `first` on that are answers of different processes to SENDs between `asked` and `first`.
  std::vector<std::uint32_t> answers_from(std::uint32_t asked, std::uint32_t first) const {
    std::set<std::uint32_t> owing;
    for (std::uint32_t e = asked; e < first; ++e)
      if (history_.events[e].kind() == HistoryKind::send) owing.insert(history_.events[e].peer);
    std::vector<std::uint32_t> answers;
    for (std::uint32_t e = first; e < end_; ++e) {
      const HistoryEvent& event = history_.events[e];
      const bool is_answer = event.kind() == HistoryKind::receive && event.match != kNoEvent &&
                             event.channel == history_.events[first].channel && owing.erase(event.peer) > 0;
      if (!is_answer) break;
      answers.push_back(e);
    }
    return answers;
  }

  const History& history_;
  const std::uint32_t process_, first_, end_;
  std::unordered_map<std::uint32_t, std::uint32_t> answer_to_;  // by SEND; none: the trace ends before it
  std::map<Class, std::vector<Gathering>> classes_;
};

}  // namespace

FoundGathers find_gathers(const History& history, const std::vector<bool>& settled) {
  FoundGathers found;
  for (std::uint32_t p = 0; p < history.process_count(); ++p)
    if (!settled[p]) GatherFinder(history, p).find(found);
  found.gathers.finish();
  return found;
}

}  // namespace dpm
