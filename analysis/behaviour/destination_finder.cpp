#include "analysis/behaviour/destination_finder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/behaviour/destination_rules.hpp"
#include "analysis/history/message_costs.hpp"
#include "analysis/history/server_work.hpp"
#include "analysis/history/target.hpp"

namespace dpm {
namespace {

// How the SENDs of one choice are alike, from all to few.
enum class Alike : std::uint8_t { all, after_bytes, bytes, both };
constexpr std::array kAlike = {Alike::all, Alike::after_bytes, Alike::bytes, Alike::both};

// Subsets of at most six kinds of messages are tried, with more messages than one kind needs: there are many subsets.
constexpr std::size_t kMostTogether = 6;
constexpr std::size_t kTogetherAtLeast = 20;

using Sends = std::vector<std::uint32_t>;
using Likeness = std::pair<std::uint32_t, std::uint32_t>;

Likeness likeness(const ChosenSend& sent, Alike alike) {
  const bool after = alike == Alike::after_bytes || alike == Alike::both;
  const bool own = alike == Alike::bytes || alike == Alike::both;
  return {after ? sent.after_bytes : 0, own ? sent.bytes : 0};
}

// Where CPU times are those of work alone, on machines of speed 1.
Target work_alone(const History& history) {
  Target target = traced_without_messages(history);
  for (MachineInfo& machine : target.machines) machine.speed = 1;
  return target;
}

class DestinationFinder {
 public:
  DestinationFinder(const History& history, const std::vector<bool>& has_order, const std::vector<bool>& settled)
      : history_(history), has_order_(has_order), settled_(settled), works_(history.process_count()) {}

  FoundChoices run() {
    for (std::uint32_t p = 0; p < history_.process_count(); ++p)
      if (has_order_[p] && !settled_[p]) find_in(p);
    // A member performs what others would have, and so in another order.
    auto& known = found_.known.choices;
    for (std::size_t i = 0; i < known.size(); ++i)
      for (const std::uint32_t member : std::vector(known[i].members))
        if (!has_order_[member] && !is_found(member)) find_in(member);
    share_turns();
    found_.all.choices.insert(found_.all.choices.end(), known.begin(), known.end());
    note_pieces(found_.known);
    note_pieces(found_.all);
    return std::move(found_);
  }

 private:
  bool is_found(std::uint32_t p) const {
    const auto& known = found_.known.choices;
    return std::any_of(known.begin(), known.end(),
                       [p](const DestinationChoice& choice) { return choice.process == p; });
  }

  const std::string& program(std::uint32_t p) const { return history_.info.processes[p].program; }

  // The pieces of work of a process that could be a member; null if it could not.
  const ServerWork* work_of(std::uint32_t p) {
    if (settled_[p]) return nullptr;
    auto& work = works_[p];
    if (!work) work = find_server_work(history_, ProcessId{p});
    return *work ? &**work : nullptr;
  }

  bool begins_piece(const HistoryEvent& send) {
    const ServerWork* work = work_of(send.peer);
    return work != nullptr && work->piece_of[send.match - history_.first_event[send.peer]] == send.match;
  }

  void find_in(std::uint32_t p) {
    std::map<std::string, std::vector<ChosenSend>> by_program;
    std::uint32_t after_bytes = 0, after = kNoPeer;
    for (std::uint32_t e = history_.first_event[p]; e < history_.first_event[p + 1]; ++e) {
      const HistoryEvent& event = history_.events[e];
      if (event.kind() == HistoryKind::receive) {
        after = event.peer;
        after_bytes = event.length_bytes;
      }
      if (event.kind() != HistoryKind::send || event.match == kNoEvent || event.peer == p) continue;
      if (program(event.peer).empty()) continue;
      by_program[program(event.peer)].push_back({e, after, after_bytes, event.length_bytes});
    }
    for (const auto& [members, sends] : by_program) find_choices_among(p, members, sends);
  }

  // By the first likeness that explains all SENDs, or else by the one that explains most.
  void find_choices_among(std::uint32_t p, const std::string& members, const std::vector<ChosenSend>& sends) {
    const bool all_begin = std::all_of(
        sends.begin(), sends.end(), [&](const ChosenSend& sent) { return begins_piece(history_.events[sent.send]); });
    if (!all_begin || go_to_all(sends)) return;
    among_.push_back({p, members, sends});
    std::vector<DestinationChoice> best;
    std::size_t most = 0;
    for (const Alike alike : kAlike) {
      std::map<Likeness, Sends> alikes;
      for (const ChosenSend& sent : sends) alikes[likeness(sent, alike)].push_back(sent.send);
      std::vector<DestinationChoice> choices = explained(p, alikes);
      std::size_t covered = 0;
      for (DestinationChoice& choice : choices) {
        covered += choice.sends.size();
        choice.process = p;
        choice.number = choice_number(program(p), members, alike, least_likeness(choice.sends, sends, alike));
      }
      if (covered > most) {
        most = covered;
        best = std::move(choices);
      }
      if (most == sends.size()) break;
    }
    if (best.empty() && !follows_message(history_, sends)) note_unknown(p, members, sends);
    for (DestinationChoice& choice : best) found_.known.choices.push_back(std::move(choice));
  }

  // Nothing is chosen where each time every member gets a message.
  bool go_to_all(const std::vector<ChosenSend>& sends) const {
    std::set<std::uint32_t> members;
    for (const ChosenSend& sent : sends) members.insert(history_.events[sent.send].peer);
    std::set<std::uint32_t> reached;
    for (std::size_t i = 0; i < sends.size(); ++i) {
      if (!reached.insert(history_.events[sends[i].send].peer).second) return false;
      const bool goes_on = i + 1 < sends.size() && !receives_between(sends[i].send, sends[i + 1].send);
      if (goes_on) continue;
      if (reached.size() < members.size()) return false;
      reached.clear();
    }
    return members.size() > 1;
  }
  bool receives_between(std::uint32_t first, std::uint32_t last) const {
    for (std::uint32_t e = first; e < last; ++e)
      if (history_.events[e].kind() == HistoryKind::receive) return true;
    return false;
  }

  // Turns that one process shows often enough are those of its program: another that sent too few messages of a kind to
  // show them has the same, unless it contradicts. What it seemed to choose by another rule was by chance.
  void share_turns() {
    std::map<std::uint32_t, Turns> by_number;
    for (const auto& [key, number] : choices_) by_number[number] = {key, {}};
    for (const DestinationChoice& choice : found_.known.choices)
      if (choice.rule == DestinationChoice::Rule::in_turn && is_of_one_kind(choice, by_number.at(choice.number)))
        by_number.at(choice.number).cycle = choice.members;
    for (const auto& [number, turns] : by_number) {
      if (turns.cycle.empty()) continue;
      for (const Among& among : among_) share(turns, number, among);
    }
  }

  struct Among {
    std::uint32_t process = 0;
    std::string members;
    std::vector<ChosenSend> sends;
  };
  using Key = std::tuple<std::string, std::string, Alike, Likeness>;
  struct Turns {
    Key key;
    std::vector<std::uint32_t> cycle;
  };

  static Sends of_kind(const std::vector<ChosenSend>& sends, const Key& key) {
    Sends alike;
    for (const ChosenSend& sent : sends)
      if (likeness(sent, std::get<Alike>(key)) == std::get<Likeness>(key)) alike.push_back(sent.send);
    return alike;
  }

  bool is_of_one_kind(const DestinationChoice& choice, const Turns& turns) const {
    return std::any_of(among_.begin(), among_.end(), [&](const Among& among) {
      return among.process == choice.process && among.members == std::get<1>(turns.key) &&
             of_kind(among.sends, turns.key) == choice.sends;
    });
  }

  void share(const Turns& turns, std::uint32_t number, const Among& among) {
    if (program(among.process) != std::get<0>(turns.key) || among.members != std::get<1>(turns.key)) return;
    Sends sends = of_kind(among.sends, turns.key);
    if (!follows_cycle(history_, sends, turns.cycle)) return;
    auto& known = found_.known.choices;
    const auto overlaps = [&](const DestinationChoice& choice) {
      return choice.process == among.process &&
             std::any_of(choice.sends.begin(), choice.sends.end(),
                         [&](std::uint32_t send) { return std::binary_search(sends.begin(), sends.end(), send); });
    };
    const bool has_turns = std::any_of(known.begin(), known.end(), [&](const DestinationChoice& choice) {
      return choice.rule == DestinationChoice::Rule::in_turn && overlaps(choice);
    });
    if (has_turns) return;
    std::erase_if(known, overlaps);
    DestinationChoice choice{among.process, number, DestinationChoice::Rule::in_turn, turns.cycle, std::move(sends)};
    const auto first = std::find(choice.members.begin(), choice.members.end(),
                                 std::uint32_t{history_.events[choice.sends.front()].peer});
    std::rotate(choice.members.begin(), first, choice.members.end());
    known.push_back(std::move(choice));
  }

  // Those alike that a rule explains, alone or several together: a choice may be made for messages of several sizes.
  std::vector<DestinationChoice> explained(std::uint32_t p, const std::map<Likeness, Sends>& alikes) {
    std::vector<DestinationChoice> choices;
    std::vector<const Sends*> left;
    for (const auto& [key, sends] : alikes) {
      auto choice = by_a_rule(p, sends);
      if (choice) choices.push_back(std::move(*choice));
      if (!choice) left.push_back(&sends);
    }
    if (left.size() > kMostTogether) return choices;
    for (std::uint32_t set = 1; set < 1u << left.size(); ++set) {
      Sends together;
      for (std::size_t i = 0; i < left.size(); ++i)
        if ((set >> i & 1) != 0 && left[i] != nullptr)
          together.insert(together.end(), left[i]->begin(), left[i]->end());
      if (together.size() < kTogetherAtLeast) continue;
      std::sort(together.begin(), together.end());
      auto choice = by_a_rule(p, together);
      if (!choice) continue;
      choices.push_back(std::move(*choice));
      for (std::size_t i = 0; i < left.size(); ++i)
        if ((set >> i & 1) != 0) left[i] = nullptr;
    }
    return choices;
  }

  std::optional<DestinationChoice> by_a_rule(std::uint32_t p, const Sends& sends) const {
    auto choice = in_turn(history_, sends);
    return choice ? choice : least_outstanding(history_, p, sends);
  }

  // Names a choice by the least of its kinds of messages: the same for all processes of a program.
  static Likeness least_likeness(const Sends& of_choice, const std::vector<ChosenSend>& sends, Alike alike) {
    std::optional<Likeness> least;
    for (const ChosenSend& sent : sends) {
      if (!std::binary_search(of_choice.begin(), of_choice.end(), sent.send)) continue;
      const Likeness one = likeness(sent, alike);
      if (!least || one < *least) least = one;
    }
    return least.value_or(Likeness{});
  }

  void note_unknown(std::uint32_t p, const std::string& members, const std::vector<ChosenSend>& sends) {
    DestinationChoice unknown{.process = p,
                              .number = choice_number(program(p), members, Alike::all, {}),
                              .rule = DestinationChoice::Rule::unknown};
    for (const ChosenSend& sent : sends) {
      unknown.members.push_back(history_.events[sent.send].peer);
      unknown.sends.push_back(sent.send);
    }
    found_.all.choices.push_back(std::move(unknown));
  }

  std::uint32_t choice_number(const std::string& chooser, const std::string& members, Alike alike, Likeness key) {
    return choices_.try_emplace({chooser, members, alike, key}, static_cast<std::uint32_t>(choices_.size()))
        .first->second;
  }

  void note_pieces(DestinationChoices& found) {
    if (found.empty()) return;
    found.piece_of.assign(history_.events.size(), kNoEvent);
    std::map<std::uint32_t, std::uint32_t> choice_of;  // by RECEIVE that begins a piece
    for (const DestinationChoice& choice : found.choices)
      for (const std::uint32_t send : choice.sends) choice_of[history_.events[send].match] = choice.number;
    MessageCosts costs(history_, work_alone(history_));
    std::vector<bool> noted(history_.process_count());
    for (const DestinationChoice& choice : found.choices) {
      for (const std::uint32_t member : choice.members) {
        if (noted[member]) continue;
        noted[member] = true;
        note_pieces_of(member, choice_of, costs, found);
      }
    }
  }

  void note_pieces_of(std::uint32_t member, const std::map<std::uint32_t, std::uint32_t>& choice_of,
                      MessageCosts& costs, DestinationChoices& found) {
    const ServerWork& work = *work_of(member);
    const std::uint32_t first = history_.first_event[member];
    std::map<std::uint32_t, double> work_ns;  // by piece
    std::uint32_t piece = kNoEvent;
    for (std::uint32_t i = 0; i < work.piece_of.size(); ++i) {
      const HistoryEvent& event = history_.events[first + i];
      if (piece != kNoEvent) work_ns[piece] += static_cast<double>(costs.cpu(event, member).before_ns);
      if (event.kind() != HistoryKind::receive) continue;
      piece = work.piece_of[i];
      if (piece != first + i) found.piece_of[first + i] = piece;
    }
    for (const auto& [begin, ns] : work_ns) {
      const auto choice = choice_of.find(begin);
      if (choice != choice_of.end()) found.work.note(choice->second, history_.events[begin].length_bytes, member, ns);
    }
  }

  const History& history_;
  const std::vector<bool>&has_order_, &settled_;
  std::vector<std::optional<Result<ServerWork>>> works_;
  std::map<Key, std::uint32_t> choices_;  // their numbers
  std::vector<Among> among_;              // candidates
  FoundChoices found_;
};

}  // namespace

FoundChoices find_choices(const History& history, const std::vector<bool>& has_order,
                          const std::vector<bool>& settled) {
  return DestinationFinder(history, has_order, settled).run();
}

std::string reason_of(const DestinationChoice& choice, std::size_t times, const History& history) {
  constexpr std::size_t kShown = 3;
  std::string names;
  for (std::size_t i = 0; i < std::min(choice.members.size(), kShown); ++i)
    names += (i == 0 ? "" : ", ") + history.info.processes[choice.members[i]].name;
  if (choice.members.size() > kShown) names += ", ...";
  if (choice.rule == DestinationChoice::Rule::in_turn)
    return fmt::format(
        "send to {} in round robin, {} times: modelled as round robin, and the work moves with its message", names,
        times);
  return fmt::format(
      "send to the one of {} with the fewest outstanding requests, {} times: modelled as least outstanding", names,
      times);
}

}  // namespace dpm
