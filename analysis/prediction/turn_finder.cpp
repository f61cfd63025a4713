#include "analysis/prediction/turn_finder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "analysis/history/server_work.hpp"

namespace dpm {
namespace {

// More than a round: three choices between two by coin look the same once in 256.
constexpr std::size_t kRepeatedAtLeast = 8;

// A SEND, and what it has in common with others of one choice.
struct Sent {
  std::uint32_t send = 0;
  std::uint32_t after = kNoPeer;  // the sender of the message that was handled
  std::uint32_t after_bytes = 0;  // of the message that was handled
  std::uint32_t bytes = 0;
};

// How the SENDs of one choice are alike, from all to few.
enum class Alike : std::uint8_t { all, after_bytes, bytes, both };
constexpr std::array kAlike = {Alike::all, Alike::after_bytes, Alike::bytes, Alike::both};

using Likeness = std::pair<std::uint32_t, std::uint32_t>;

Likeness likeness(const Sent& sent, Alike alike) {
  const bool after = alike == Alike::after_bytes || alike == Alike::both;
  const bool own = alike == Alike::bytes || alike == Alike::both;
  return {after ? sent.after_bytes : 0, own ? sent.bytes : 0};
}

class Finder {
 public:
  Finder(const History& history, const std::vector<bool>& has_order, const std::vector<bool>& settled)
      : history_(history), has_order_(has_order), settled_(settled), works_(history.process_count()) {}

  Choices run() {
    for (std::uint32_t p = 0; p < history_.process_count(); ++p)
      if (has_order_[p] && !settled_[p]) find_in(p);
    // A member performs what others would have, and so in another order.
    auto& rounds = found_.in_turn.rounds;
    for (std::size_t i = 0; i < rounds.size(); ++i)
      for (const std::uint32_t member : std::vector(rounds[i].members))
        if (!has_order_[member] && !is_found(member)) find_in(member);
    found_.open.rounds.insert(found_.open.rounds.end(), rounds.begin(), rounds.end());
    note_pieces(found_.in_turn);
    note_pieces(found_.open);
    return std::move(found_);
  }

 private:
  bool is_found(std::uint32_t p) const {
    const auto& rounds = found_.in_turn.rounds;
    return std::any_of(rounds.begin(), rounds.end(), [p](const RoundRobin& round) { return round.process == p; });
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
    std::map<std::string, std::vector<Sent>> by_program;
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

  // The first likeness by which all that begins a piece is in turn, or else the one by which most is.
  void find_choices_among(std::uint32_t p, const std::string& members, const std::vector<Sent>& sends) {
    std::vector<RoundRobin> best;
    std::size_t most = 0;
    for (const Alike alike : kAlike) {
      std::map<Likeness, std::vector<std::uint32_t>> alikes;
      for (const Sent& sent : sends) alikes[likeness(sent, alike)].push_back(sent.send);
      std::vector<RoundRobin> rounds;
      std::size_t covered = 0;
      for (auto& [key, of_choice] : alikes) {
        auto round = in_turn(of_choice);
        if (!round) continue;
        covered += of_choice.size();
        round->process = p;
        round->choice = choice_number(program(p), members, alike, key);
        rounds.push_back(std::move(*round));
      }
      if (covered > most) {
        most = covered;
        best = std::move(rounds);
      }
      if (most == sends.size()) break;
    }
    if (best.empty()) note_if_open(p, members, sends);
    for (RoundRobin& round : best) found_.in_turn.rounds.push_back(std::move(round));
  }

  void note_if_open(std::uint32_t p, const std::string& members, const std::vector<Sent>& sends) {
    RoundRobin open{p, choice_number(program(p), members, Alike::all, {}), {}, {}, false};
    for (const Sent& sent : sends) {
      const HistoryEvent& event = history_.events[sent.send];
      if (!begins_piece(event)) return;
      open.members.push_back(event.peer);
      open.sends.push_back(sent.send);
    }
    const bool from_message = follows(sends, [](const Sent& sent) { return sent.after; }) ||
                              follows(sends, [](const Sent& sent) { return sent.after_bytes; }) ||
                              follows(sends, [](const Sent& sent) { return sent.bytes; });
    if (!from_message) found_.open.rounds.push_back(std::move(open));
  }

  // Whether the receiver is always the same where `what` is: also if there is only one.
  template <typename What>
  bool follows(const std::vector<Sent>& sends, What what) const {
    std::map<std::uint32_t, std::uint32_t> receiver_of;
    return std::all_of(sends.begin(), sends.end(), [&](const Sent& sent) {
      const std::uint32_t receiver = history_.events[sent.send].peer;
      return receiver_of.try_emplace(what(sent), receiver).first->second == receiver;
    });
  }

  std::optional<RoundRobin> in_turn(const std::vector<std::uint32_t>& sends) {
    RoundRobin round;
    auto& members = round.members;
    const auto receiver = [&](std::size_t i) { return std::uint32_t{history_.events[sends[i]].peer}; };
    while (members.size() < sends.size()) {
      const std::uint32_t next = receiver(members.size());
      if (std::find(members.begin(), members.end(), next) != members.end()) break;
      members.push_back(next);
    }
    const std::size_t n = members.size();
    if (n < 2 || sends.size() < n + kRepeatedAtLeast) return std::nullopt;
    for (std::size_t i = n; i < sends.size(); ++i)
      if (receiver(i) != members[i % n]) return std::nullopt;
    for (const std::uint32_t send : sends)
      if (!begins_piece(history_.events[send])) return std::nullopt;
    round.sends = sends;
    return round;
  }

  std::uint32_t choice_number(const std::string& chooser, const std::string& members, Alike alike, Likeness key) {
    return choices_.try_emplace({chooser, members, alike, key}, static_cast<std::uint32_t>(choices_.size()))
        .first->second;
  }

  void note_pieces(RoundRobins& found) {
    if (found.empty()) return;
    found.piece_of.assign(history_.events.size(), kNoEvent);
    std::map<std::uint32_t, std::uint32_t> choice_of;  // by RECEIVE that begins a piece
    for (const RoundRobin& round : found.rounds)
      for (const std::uint32_t send : round.sends) choice_of[history_.events[send].match] = round.choice;
    std::vector<bool> noted(history_.process_count());
    for (const RoundRobin& round : found.rounds) {
      for (const std::uint32_t member : round.members) {
        if (noted[member]) continue;
        noted[member] = true;
        note_pieces_of(member, choice_of, found);
      }
    }
  }

  void note_pieces_of(std::uint32_t member, const std::map<std::uint32_t, std::uint32_t>& choice_of,
                      RoundRobins& found) {
    const ServerWork& work = *work_of(member);
    const std::uint32_t first = history_.first_event[member];
    const MachineId machine = history_.info.processes[member].machine;
    const double speed =
        machine.value < history_.info.machines.size() ? history_.info.machines[machine.value].speed : 1;
    std::map<std::uint32_t, double> work_ns;  // by piece
    std::uint32_t piece = kNoEvent;
    for (std::uint32_t i = 0; i < work.piece_of.size(); ++i) {
      const HistoryEvent& event = history_.events[first + i];
      if (piece != kNoEvent) work_ns[piece] += static_cast<double>(event.cpu_ns) * speed;
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
  std::map<std::tuple<std::string, std::string, Alike, Likeness>, std::uint32_t> choices_;
  Choices found_;
};

}  // namespace

Choices find_choices(const History& history, const std::vector<bool>& has_order, const std::vector<bool>& settled) {
  return Finder(history, has_order, settled).run();
}

std::string reason_of(const RoundRobin& round, const History& history) {
  constexpr std::size_t kShown = 3;
  std::string names;
  for (std::size_t i = 0; i < std::min(round.members.size(), kShown); ++i)
    names += (i == 0 ? "" : ", ") + history.info.processes[round.members[i]].name;
  if (round.members.size() > kShown) names += ", ...";
  return fmt::format("send to {} in turn, {} times: the turn stays, and the work goes with the message", names,
                     round.sends.size());
}

}  // namespace dpm
