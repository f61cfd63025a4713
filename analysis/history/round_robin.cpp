#include "analysis/history/round_robin.hpp"

#include <algorithm>
#include <cmath>

namespace dpm {
namespace {

constexpr double kPiecesAtLeast = 4;      // of each member, before their times are compared
constexpr double kErrors = 4;             // a difference of means that is not by chance: that many standard errors
constexpr double kLeastDifference = .05;  // less than what messages themselves may cost

}  // namespace

double MemberWork::Pieces::error_ns() const {
  const double variance = std::max(0.0, squares / count - mean_ns() * mean_ns());
  return std::sqrt(variance / count);
}

void MemberWork::note(std::uint32_t choice, std::uint32_t request_bytes, std::uint32_t member, double work_ns) {
  Pieces& pieces = pieces_[{choice, request_bytes, member}];
  pieces.count += 1;
  pieces.sum_ns += work_ns;
  pieces.squares += work_ns * work_ns;
}

double MemberWork::factor(std::uint32_t choice, std::uint32_t request_bytes, std::uint32_t member,
                          std::uint32_t other) const {
  const auto mine = pieces_.find({choice, request_bytes, member}),
             theirs = pieces_.find({choice, request_bytes, other});
  if (mine == pieces_.end() || theirs == pieces_.end()) return 1;
  const Pieces &a = mine->second, &b = theirs->second;
  if (std::min(a.count, b.count) < kPiecesAtLeast || a.sum_ns <= 0 || b.sum_ns <= 0) return 1;
  const double difference = std::fabs(a.mean_ns() - b.mean_ns());
  if (difference < kErrors * std::hypot(a.error_ns(), b.error_ns())) return 1;
  return difference < kLeastDifference * std::max(a.mean_ns(), b.mean_ns()) ? 1 : a.mean_ns() / b.mean_ns();
}

Turns::Turns(const History& history, const RoundRobins& round_robins) : history_(history), work_(round_robins.work) {
  if (round_robins.empty()) return;
  rounds_.resize(history.process_count());
  choice_of_.assign(history.events.size(), kNone);
  for (const RoundRobin& round : round_robins.rounds) {
    rounds_[round.process].push_back({round.choice, round.members, 0});
    for (const std::uint32_t send : round.sends) choice_of_[send] = round.choice;
  }
}

void Turns::begin() {
  for (auto& of_process : rounds_)
    for (Round& round : of_process) round.at = 0;
}

std::size_t Turns::round_of(std::uint32_t p, std::uint32_t send) const {
  const auto& rounds = rounds_[p];
  const auto found = std::find_if(rounds.begin(), rounds.end(),
                                  [choice = choice_of_[send]](const Round& round) { return round.choice == choice; });
  return static_cast<std::size_t>(found - rounds.begin());
}

std::uint32_t Turns::receiver_of(std::uint32_t p, std::uint32_t send) const {
  if (empty() || choice_of_[send] == kNone) return kNone;
  const std::size_t at = round_of(p, send);
  if (at == rounds_[p].size()) return kNone;
  const Round& round = rounds_[p][at];
  return round.members[round.at % round.members.size()];
}

void Turns::sent(std::uint32_t p, std::uint32_t send) {
  if (empty() || choice_of_[send] == kNone) return;
  const std::size_t at = round_of(p, send);
  if (at < rounds_[p].size()) ++rounds_[p][at].at;
}

double Turns::work_factor(std::uint32_t piece, std::uint32_t source, std::uint32_t p) const {
  const std::uint32_t send = history_.events[piece].match;
  return send == kNoEvent || choice_of_[send] == kNone
             ? 1
             : work_.factor(choice_of_[send], history_.events[piece].length_bytes, p, source);
}

}  // namespace dpm
