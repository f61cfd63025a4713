#include "scheduling/decisions/decision_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/check.hpp"

namespace dpm {
namespace {

constexpr int kSlicesInWindow = 5;
constexpr std::size_t kBeforeMost = 2 * kSlicesInWindow;  // older slices may be of other work
constexpr int kWindowsAfter = 3;
constexpr std::size_t kSlicesLeast = 2;  // one says nothing about how much they differ
constexpr double kErrors = 2;            // standard errors that make a difference clear
constexpr double kFarSlower = 0.1;       // beyond them: one slice is enough
constexpr double kStandsStill = 0.01;    // of the rate before: the work is done, or waits for something outside
constexpr double kExact = 0.02;          // a gain with a smaller error is not measured for longer
constexpr std::size_t kPredictionsMost = 20;
constexpr std::uint64_t kPartsMost = 20;  // who has less than 1/20 of the messages may end while a move is measured
// A wrong move of a real program made it a third to two thirds slower until it was undone (validation/feedback).
constexpr double kWrongLoss = 0.5;
constexpr double kRiskOfLife = 0.02;   // what a wrong move may cost, of the time that the moved processes have run
constexpr double kRiskOfSaving = 0.1;  // or of what is saved if they run for as long again

// The part of the elapsed time that a gain saves.
double saving(double gain) { return 1 - 1 / (1 + std::max(gain, -0.9)); }

// Those without which the rate is another one.
std::vector<ProcessId> involved_in(const SlidingWindow& window) {
  std::vector<ProcessId> involved;
  for (std::uint32_t p = 0; p < window.loads().size(); ++p) {
    const std::uint64_t messages = window.loads()[p].sent + window.loads()[p].received;
    if (messages > 0 && messages * kPartsMost >= window.received()) involved.push_back({p});
  }
  return involved;
}

}  // namespace

DecisionLoop::DecisionLoop(LoopOptions options, Policy& policy, Tell tell)
    : options_(options),
      policy_(policy),
      tell_(std::move(tell)),
      rates_(Duration{options.window.ns / kSlicesInWindow}, kWindowsAfter * kSlicesInWindow) {}

std::uint64_t DecisionLoop::done_so_far(const SlidingWindow& window) const {
  return options_.progress == Progress::messages ? window.all_received() : window.all_received_bytes();
}

// What came before the window was emptied, or while events were missing, does not count.
void DecisionLoop::count(const SlidingWindow& window) {
  const bool is_too_old = !rates_.began() || *rates_.began() < window.now() - window.gathered();
  if (is_too_old || !window.is_complete())
    rates_.begin(window.now(), done_so_far(window));
  else
    rates_.add(window.now(), done_so_far(window));
}

std::optional<ProcessMove> DecisionLoop::next(const SystemView& view, bool may_decide) {
  const SlidingWindow& window = view.window;
  count(window);
  look_back_at_undone(window);
  if (state_ == State::settling || state_ == State::measuring)
    if (const auto ended = ended_of(involved_, window))
      return give_up(window, fmt::format("'{}' ended before the effect had been measured", window.info()[*ended].name));
  switch (state_) {
    case State::to_move:
      return give_next();
    case State::moving:
      return std::nullopt;
    case State::settling:
      if (window.now() < settled_at_) return std::nullopt;
      state_ = State::measuring;
      rates_.begin(window.now(), done_so_far(window));
      return std::nullopt;
    case State::measuring:
      return measure(view);
    case State::gathering:
      return may_decide && window.gathered() >= options_.window ? decide(view) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<ProcessMove> DecisionLoop::decide(const SystemView& view) {
  const Duration now = view.window.now();
  if (!view.window.is_complete()) {
    tell_nothing(view, DecisionOutcome::incomplete, "events of the window are lost: no move is based on such data");
    return std::nullopt;
  }
  if (rates_.summary().slices < kSlicesLeast) return std::nullopt;
  std::vector<ProcessId> involved = involved_in(view.window);
  if (const auto ended = ended_of(involved, view.window)) {
    tell_nothing(view, DecisionOutcome::nothing,
                 fmt::format("'{}' has ended, and the window is of the time before", view.window.info()[*ended].name));
    return std::nullopt;
  }
  ++asked_;
  Proposal proposal = policy_.propose(view);
  if (proposal.moves.empty()) {
    tell_nothing(view, DecisionOutcome::nothing, std::move(proposal.reason));
    return std::nullopt;
  }
  if (std::string why = doubt(proposal, view); !why.empty()) {
    tell_nothing(view, DecisionOutcome::nothing, std::move(why));
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
  before_ = rates_.summary(kBeforeMost);
  entry_ = JournalEntry{++decisions_,       now,          before_.mean, {},
                        proposal.predicted, std::nullopt, outcome,      std::move(proposal.reason)};
  for (const ProcessMove& move : proposal.moves)
    entry_.moves.push_back(
        {name(move.process), view.machines[move.from.value].name, view.machines[move.to.value].name});
  if (options_.dry_run) {
    tell_proposed(entry_);
    return std::nullopt;
  }
  tell_(entry_);
  last_without_move_.reset();
  slower_at_.reset();
  involved_ = std::move(involved);
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
  rates_.begin(window.now(), done_so_far(window));
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
  const Duration now = view.window.now();
  const RateSummary after = rates_.summary();
  const auto measured = gain_of(before_, after);
  if (after.slices == 0 || !view.window.is_complete()) return std::nullopt;
  const double gain = measured ? measured->gain : 0, error = measured ? measured->error : 0;
  entry_.rate_after = after.mean;
  if (gain + kErrors * error < -options_.loss_max - kFarSlower) return take_back(view.window);
  if (after.slices < kSlicesLeast) return std::nullopt;
  if (gain + kErrors * error < -options_.loss_max) return take_back(view.window);
  const std::int64_t windows = (now - *rates_.began()).ns / std::max<std::int64_t>(options_.window.ns, 1);
  if (windows < 1 || (error > kExact && windows < kWindowsAfter)) return std::nullopt;
  if (gain < -options_.loss_max) return take_back(view.window);
  note_prediction(gain, now);
  for (const ProcessMove& move : made_) arrivals_[{move.process, move.to}].push_back(now);
  finish(DecisionOutcome::kept);
  state_ = State::gathering;
  return std::nullopt;
}

std::optional<ProcessMove> DecisionLoop::take_back(const SlidingWindow& window) {
  if (*entry_.rate_after < kStandsStill * before_.mean)
    return give_up(window, "then the program stopped working, which no placement explains");
  const Duration now = window.now();
  note_prediction(entry_.measured_gain().value_or(0), now);
  for (const ProcessMove& move : made_) hold(move, now);
  slower_at_ = now;
  outcome_of_undoing_ = DecisionOutcome::undone;
  undo();
  return give_next();
}

std::optional<ProcessId> DecisionLoop::ended_of(const std::vector<ProcessId>& involved,
                                                const SlidingWindow& window) const {
  for (const ProcessId process : involved)
    if (process.value < window.loads().size() && !window.loads()[process.value].alive) return process;
  return std::nullopt;
}

std::optional<ProcessMove> DecisionLoop::give_up(const SlidingWindow& window, const std::string& why) {
  entry_.rate_after.reset();
  entry_.reason += "; " + why;
  std::erase_if(made_, [&](const ProcessMove& move) { return ended_of({move.process}, window).has_value(); });
  outcome_of_undoing_ = DecisionOutcome::ended;
  undo();
  if (!left_.empty()) return give_next();
  finish(DecisionOutcome::ended);
  state_ = State::gathering;
  return std::nullopt;
}

// A process may be seen to end a moment after its last message: then that was why it became slower.
void DecisionLoop::look_back_at_undone(const SlidingWindow& window) {
  if (!slower_at_ || state_ != State::gathering) return;
  const bool is_over = (window.now() - *slower_at_).ns > options_.window.ns / kSlicesInWindow;
  const auto ended = is_over ? std::nullopt : ended_of(involved_, window);
  if (is_over || ended) slower_at_.reset();
  if (!ended) return;
  for (const ProcessMove& move : made_) held_.erase({move.process, move.to});
  if (entry_.predicted) too_high_.pop_back();
  entry_.rate_after.reset();
  entry_.reason += fmt::format("; '{}' ended while the effect was measured", window.info()[*ended].name);
  finish(DecisionOutcome::ended);
}

std::string DecisionLoop::doubt(const Proposal& proposal, const SystemView& view) const {
  if (!proposal.predicted) return "";
  const RateSummary before = rates_.summary(kBeforeMost);
  const double varies = kErrors * before.deviation / std::sqrt(static_cast<double>(before.slices));
  const double too_high = too_high_so_far(view.window.now());
  if (saving(proposal.predicted->expected) > varies + too_high) return doubt_in_life(proposal, view);
  return fmt::format(
      "{}, which could not be measured: the rate varies by {:.1f} %, and earlier predictions were too high by {:.1f} % "
      "of the time",
      proposal.reason, varies * 100, too_high * 100);
}

std::string DecisionLoop::doubt_in_life(const Proposal& proposal, const SystemView& view) const {
  if (view.ages.empty()) return "";
  double age_s = std::numeric_limits<double>::infinity();
  for (const ProcessMove& move : proposal.moves) age_s = std::min(age_s, view.ages[move.process.value].seconds());
  const double risk_s = kWrongLoss * (options_.settling.seconds() + options_.window.seconds() / kSlicesInWindow);
  const double saving_s = saving(proposal.predicted->expected) * age_s;
  if (risk_s <= std::max(kRiskOfLife * age_s, kRiskOfSaving * saving_s)) return "";
  return fmt::format("{}, but the processes have run for {:.1f} s only: if it is wrong, that costs {:.2g} s",
                     proposal.reason, age_s, risk_s);
}

void DecisionLoop::note_prediction(double measured_gain, Duration now) {
  if (!entry_.predicted) return;
  const double difference = saving(entry_.predicted->expected) - saving(measured_gain);
  too_high_.push_back({std::max(difference, 0.0), now});
  if (too_high_.size() > kPredictionsMost) too_high_.erase(too_high_.begin());
}

// The mean, of which half is forgotten in each `hold`.
double DecisionLoop::too_high_so_far(Duration now) const {
  double sum = 0;
  for (const TooHigh& one : too_high_)
    sum += one.saving * std::exp2(-(now - one.at).seconds() / std::max(options_.hold.seconds(), 1e-9));
  return too_high_.empty() ? 0 : sum / static_cast<double>(too_high_.size());
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
         rates_.summary(kBeforeMost).mean,
         {},
         std::nullopt,
         std::nullopt,
         outcome,
         std::move(reason)});
}

}  // namespace dpm
