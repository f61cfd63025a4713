// Predict, move, measure, and undo what has not helped. A pure state machine: the caller passes time and the window in, and
// performs the moves.
//
//      ┌──────────────────────────── kept, or nothing to do ───────────────────────────┐
//      ▼                                                                               │
//   gathering ── window full: the policy proposes ──► moving ──► settling ──► measuring┤
//                                                       ▲                              │
//                                                       └── undo, one move at a time ──┘ slower than before
//
// There is at most one move at a time: next() gives one, and no other before moved() has said what became of it. No move is
// based on a window with losses. A proposal that was undone is not tried again for a while, twice as long each time. A process
// that has gone back and forth is held where it is, and the journal says so.
//
// The rate of work is counted in slices of a fifth of the window, and how much they differ says how far a mean can be trusted:
//   - a predicted gain that is not more than the rate varies by itself, and more than earlier predictions of this run were too
//     high, moves nothing: its effect could not be told. What was too high is forgotten by half in each `hold`;
//   - nothing is tried with processes that have not run for long, because they may end while it is measured. A process that has run for
//     some time is likely to run for as long again (Harchol-Balter and Downey, Exploiting process lifetime distributions for dynamic
//     load balancing, 1997). So what a wrong move would cost until it is undone must be little of that time, or of what would be saved;
//   - after a move, what is clearly slower is undone at once, without waiting for the end of the window;
//   - what is not clear after a window is measured for up to two more.
//
// If a process with a part in the messages ends, the rate says that, and nothing about a move: what is being measured is then neither
// judged nor charged to later predictions, and is undone, because the placement was meant for that process too. So it is if nothing is
// done any more: the work may be done a while before its processes end.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "scheduling/decisions/journal.hpp"
#include "scheduling/decisions/rate_series.hpp"

namespace dpm {

// What tells how fast the work is done.
enum class Progress : std::uint8_t {
  messages,  // received
  bytes,     // received: programs with streams take more or less of them at a time on another placement
};

struct LoopOptions {
  Duration window = Duration::from_seconds(5);    // to be observed before a decision, and to measure its effect
  Duration settling = Duration::from_seconds(2);  // after a move, before it is measured
  double loss_max = 0.02;  // measured: slower by more than this is undone; negative: faster by less than that
  Duration hold = Duration::from_seconds(60);  // what was undone, or oscillates, stays for this long at first
  std::size_t arrivals_max = 2;                // of one process on one machine within `hold`; more is an oscillation
  Progress progress = Progress::messages;
  bool dry_run = false;  // proposals are told, and no move is given
};

class DecisionLoop {
 public:
  // Gets each entry of the journal when it begins to be open, and again when its outcome is known.
  using Tell = std::function<void(const JournalEntry&)>;

  DecisionLoop(LoopOptions options, Policy& policy, Tell tell);

  // A move to make now, if there is one. To be called whenever the window has changed; view.window.now() is the time.
  // `may_decide` false: the policy, which may take long, is not asked now. What was decided goes on.
  std::optional<ProcessMove> next(const SystemView& view, bool may_decide = true);

  // The move that next() gave has been made, or not: then `error` says why. Empties the window.
  void moved(SlidingWindow& window, const std::string& error);

  // How often the policy was asked.
  std::uint64_t asked() const { return asked_; }

  // The move that next() gave takes a process back to where it was before the decision.
  bool is_undoing() const { return undoing_; }

 private:
  enum class State : std::uint8_t { gathering, to_move, moving, settling, measuring };
  struct Hold {
    Duration until;
    Duration length;
  };

  std::optional<ProcessMove> decide(const SystemView& view);
  std::optional<ProcessMove> measure(const SystemView& view);
  std::optional<ProcessMove> take_back(const SlidingWindow& window);
  std::optional<ProcessMove> give_up(const SlidingWindow& window, const std::string& why);
  void look_back_at_undone(const SlidingWindow& window);
  std::optional<ProcessId> ended_of(const std::vector<ProcessId>& involved, const SlidingWindow& window) const;
  void count(const SlidingWindow& window);
  std::uint64_t done_so_far(const SlidingWindow& window) const;
  // Why a proposal is not worth a move; empty: it is.
  std::string doubt(const Proposal& proposal, const SystemView& view) const;
  std::string doubt_in_life(const Proposal& proposal, const SystemView& view) const;
  void note_prediction(double measured_gain, Duration now);
  double too_high_so_far(Duration now) const;
  void tell_proposed(const JournalEntry& entry);
  bool is_held(const ProcessMove& move, Duration now) const;
  void hold(const ProcessMove& move, Duration now);
  bool oscillates(const ProcessMove& move, Duration now);
  std::optional<ProcessMove> give_next();
  void undo();
  void finish(DecisionOutcome outcome);
  void tell_nothing(const SystemView& view, DecisionOutcome outcome, std::string reason);

  LoopOptions options_;
  Policy& policy_;
  Tell tell_;
  State state_ = State::gathering;
  RateSeries rates_;                 // since the last move has settled
  RateSummary before_;               // the move that is measured
  std::vector<ProcessId> involved_;  // in the messages before it
  JournalEntry entry_;
  std::uint64_t decisions_ = 0, asked_ = 0;
  std::optional<DecisionOutcome> last_without_move_;  // since the last move: each is told once in a row
  std::vector<JournalMove> last_proposed_;            // in a dry run
  std::vector<ProcessMove> made_, left_;
  bool undoing_ = false;
  DecisionOutcome outcome_of_undoing_ = DecisionOutcome::undone;
  Duration settled_at_;
  std::optional<Duration> slower_at_;  // when what is in entry_ was found to be slower, and undone
  // By how much of the elapsed time a prediction was too high, and when that was measured.
  struct TooHigh {
    double saving;
    Duration at;
  };
  std::vector<TooHigh> too_high_;
  std::map<std::pair<ProcessId, MachineId>, Hold> held_;
  std::map<std::pair<ProcessId, MachineId>, std::vector<Duration>> arrivals_;  // when kept moves ended there
};

}  // namespace dpm
