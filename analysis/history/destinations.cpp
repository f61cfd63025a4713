#include "analysis/history/destinations.hpp"

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

void OutstandingMessages::answered_by(std::uint32_t process) {
  const auto found = counts_.find(process);
  if (found != counts_.end() && found->second > 0) --found->second;
}

std::uint32_t OutstandingMessages::of(std::uint32_t process) const {
  const auto found = counts_.find(process);
  return found == counts_.end() ? 0 : found->second;
}

std::size_t OutstandingMessages::least(const std::vector<std::uint32_t>& members, std::size_t first) const {
  std::size_t least = first % members.size();
  for (std::size_t i = 1; i < members.size(); ++i) {
    const std::size_t other = (first + i) % members.size();
    if (of(members[other]) < of(members[least])) least = other;
  }
  return least;
}

Destinations::Destinations(const History& history, const DestinationChoices& choices)
    : history_(history), work_(choices.work) {
  if (choices.empty()) return;
  of_process_.resize(history.process_count());
  choice_of_.assign(history.events.size(), kNone);
  for (const DestinationChoice& choice : choices.choices) {
    Chooser& chooser = of_process_[choice.process];
    chooser.choices.push_back({choice.number, choice.rule, choice.members, 0});
    if (choice.rule == DestinationChoice::Rule::least_outstanding) chooser.outstanding.emplace();
    for (const std::uint32_t send : choice.sends) choice_of_[send] = choice.number;
  }
}

void Destinations::begin() {
  for (Chooser& chooser : of_process_) {
    for (Choice& choice : chooser.choices) choice.at = 0;
    if (chooser.outstanding) chooser.outstanding.emplace();
  }
}

std::size_t Destinations::choice_at(std::uint32_t p, std::uint32_t send) const {
  const auto& choices = of_process_[p].choices;
  const auto found = std::find_if(choices.begin(), choices.end(), [number = choice_of_[send]](const Choice& choice) {
    return choice.number == number;
  });
  return static_cast<std::size_t>(found - choices.begin());
}

std::size_t Destinations::next(const Chooser& chooser, const Choice& choice) const {
  const bool least = choice.rule == DestinationChoice::Rule::least_outstanding;
  return least ? chooser.outstanding->least(choice.members, choice.at) : choice.at % choice.members.size();
}

std::uint32_t Destinations::receiver_of(std::uint32_t p, std::uint32_t send) const {
  if (empty() || choice_of_[send] == kNone) return kNone;
  const Chooser& chooser = of_process_[p];
  const std::size_t at = choice_at(p, send);
  if (at == chooser.choices.size()) return kNone;
  return chooser.choices[at].members[next(chooser, chooser.choices[at])];
}

void Destinations::sent(std::uint32_t p, std::uint32_t send, std::uint32_t receiver) {
  if (empty()) return;
  Chooser& chooser = of_process_[p];
  const std::size_t at = choice_of_[send] == kNone ? chooser.choices.size() : choice_at(p, send);
  if (at < chooser.choices.size()) chooser.choices[at].at = next(chooser, chooser.choices[at]) + 1;
  if (chooser.outstanding && receiver != kNoPeer) chooser.outstanding->sent_to(receiver);
}

void Destinations::received(std::uint32_t p, std::uint32_t sender) {
  if (!empty() && of_process_[p].outstanding) of_process_[p].outstanding->answered_by(sender);
}

double Destinations::work_factor(std::uint32_t piece, std::uint32_t source, std::uint32_t p) const {
  const std::uint32_t send = history_.events[piece].match;
  return send == kNoEvent || choice_of_[send] == kNone
             ? 1
             : work_.factor(choice_of_[send], history_.events[piece].length_bytes, p, source);
}

}  // namespace dpm
