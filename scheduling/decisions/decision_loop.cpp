#include "scheduling/decisions/decision_loop.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/check.hpp"

namespace dpm {
double DecisionLoop::rate_of(const SlidingWindow& window) const {
  const double seconds = window.observed().seconds();
  const std::uint64_t received = options_.progress == Progress::messages ? window.received() : window.received_bytes();
  return seconds > 0 ? static_cast<double>(received) / seconds : 0;
}

std::optional<ProcessMove> DecisionLoop::next(const SystemView& view) {
  const SlidingWindow& window = view.window;
  if (state_ == State::to_move) return give_next();
  if (state_ == State::settling && window.now() >= settled_at_) state_ = State::measuring;
  if (state_ == State::moving || state_ == State::settling || window.gathered() < options_.window) return std::nullopt;
  if (state_ == State::measuring && window.now() - settled_at_ < options_.window) return std::nullopt;
  return state_ == State::measuring ? measure(view) : decide(view);
}

std::optional<ProcessMove> DecisionLoop::decide(const SystemView& view) {
  const Duration now = view.window.now();
  if (!view.window.is_complete()) {
    tell_nothing(view, DecisionOutcome::incomplete, "events of the window are lost: no move is based on such data");
    return std::nullopt;
  }
  Proposal proposal = policy_.propose(view);
  if (proposal.moves.empty()) {
    tell_nothing(view, DecisionOutcome::nothing, std::move(proposal.reason));
    return std::nullopt;
  }
  const auto name = [&](ProcessId process) { return view.window.info()[process].name; };
  for (const ProcessMove& move : proposal.moves) {
    const std::string what = fmt::format("'{}' to '{}'", name(move.process), view.machines[move.to.value].name);
    if (is_held(move, now)) {
      tell_nothing(view, DecisionOutcome::nothing, fmt::format("{} was undone not long ago", what));
      return std::nullopt;
    }
    if (oscillates(move, now)) {
      hold(move, now);
      tell_nothing(view, DecisionOutcome::oscillating,
                   fmt::format("{} would be the third time within {:g} s: the policy oscillates, and the process stays",
                               what, options_.hold.seconds()));
      return std::nullopt;
    }
  }
  const auto outcome = options_.dry_run ? DecisionOutcome::proposed : DecisionOutcome::open;
  entry_ = JournalEntry{++decisions_, now,     rate_of(view.window),      {}, proposal.predicted,
                        std::nullopt, outcome, std::move(proposal.reason)};
  for (const ProcessMove& move : proposal.moves)
    entry_.moves.push_back(
        {name(move.process), view.machines[move.from.value].name, view.machines[move.to.value].name});
  if (options_.dry_run) {
    tell_proposed(entry_);
    return std::nullopt;
  }
  tell_(entry_);
  last_without_move_.reset();
  made_.clear();
  left_ = std::move(proposal.moves);
  undoing_ = false;
  return give_next();
}

std::optional<ProcessMove> DecisionLoop::give_next() {
  state_ = State::moving;
  return left_.front();
}

// The moves that were made, backwards.
void DecisionLoop::undo() {
  left_.clear();
  for (auto move = made_.rbegin(); move != made_.rend(); ++move) left_.push_back({move->process, move->to, move->from});
  undoing_ = true;
}

void DecisionLoop::moved(SlidingWindow& window, const std::string& error) {
  DPM_CHECK(state_ == State::moving && !left_.empty());
  const ProcessMove move = left_.front();
  left_.erase(left_.begin());
  if (error.empty() && !undoing_) made_.push_back(move);
  if (!error.empty()) {
    entry_.reason += "; a move failed: " + error;
    if (!undoing_) {
      hold(move, window.now());
      outcome_of_undoing_ = DecisionOutcome::failed;
      undo();
    }
  }
  window.begin_again();
  if (!left_.empty()) {
    state_ = State::to_move;
    return;
  }
  settled_at_ = window.now() + options_.settling;
  state_ = State::settling;
  if (undoing_) {
    finish(outcome_of_undoing_);
    state_ = State::gathering;
  }
}

std::optional<ProcessMove> DecisionLoop::measure(const SystemView& view) {
  if (!view.window.is_complete()) return std::nullopt;
  entry_.rate_after = rate_of(view.window);
  if (*entry_.rate_after < entry_.rate_before * (1 - options_.loss_max)) {
    for (const ProcessMove& move : made_) hold(move, view.window.now());
    outcome_of_undoing_ = DecisionOutcome::undone;
    undo();
    return give_next();
  }
  for (const ProcessMove& move : made_) arrivals_[{move.process, move.to}].push_back(view.window.now());
  finish(DecisionOutcome::kept);
  state_ = State::gathering;
  return std::nullopt;
}

bool DecisionLoop::is_held(const ProcessMove& move, Duration now) const {
  const auto found = held_.find({move.process, move.to});
  return found != held_.end() && now < found->second.until;
}

void DecisionLoop::hold(const ProcessMove& move, Duration now) {
  const auto [held, is_new] = held_.try_emplace({move.process, move.to}, Hold{{}, options_.hold});
  if (!is_new) held->second.length.ns *= 2;
  held->second.until = now + held->second.length;
}

bool DecisionLoop::oscillates(const ProcessMove& move, Duration now) {
  const auto found = arrivals_.find({move.process, move.to});
  if (found == arrivals_.end()) return false;
  std::erase_if(found->second, [&](Duration at) { return now - at > options_.hold; });
  return found->second.size() >= options_.arrivals_max;
}

// The same proposal again and again, because nothing is moved, is told once.
void DecisionLoop::tell_proposed(const JournalEntry& entry) {
  if (entry.moves == last_proposed_) return;
  last_proposed_ = entry.moves;
  last_without_move_.reset();
  tell_(entry);
}

void DecisionLoop::finish(DecisionOutcome outcome) {
  entry_.outcome = outcome;
  tell_(entry_);
}

void DecisionLoop::tell_nothing(const SystemView& view, DecisionOutcome outcome, std::string reason) {
  if (outcome == last_without_move_) return;
  last_without_move_ = outcome;
  tell_({++decisions_,
         view.window.now(),
         rate_of(view.window),
         {},
         std::nullopt,
         std::nullopt,
         outcome,
         std::move(reason)});
}

}  // namespace dpm
