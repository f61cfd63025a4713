#include "analysis/prediction/interval.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "analysis/prediction/alternatives.hpp"
#include "analysis/prediction/batch_waits.hpp"

namespace dpm {
namespace {

// Twelve alternatives estimate the root mean square within a fifth. More barely narrow the interval, and each is a
// replay.
constexpr int kAlternatives = 12;
constexpr int kHiddenAlternatives = 8;  // more, with what messages do not show
// How far a request of a kind may come from its place in the prediction. Other places of all requests would take away the
// share that each client has in them, and made the intervals of the file system twice as wide. Where a replay cannot go on because
// requests wait for each other, they come closer to their places.
constexpr std::size_t kPlacesOff[] = {16, 8, 4, 2};
constexpr std::size_t kNotHidden[] = {0};
// Where the replay is further off with the receivers that messages had, it cannot tell what other receivers would change.
constexpr double kSameReceivers = .05;
// The truth is another draw like these: Student's t for as many draws, so that 95 % of the intervals contain it.
constexpr double kDeviations = 2.2;

// The lower end of a reach. A time that may be wrong by its own size or more is not negative: beyond about 60 % the
// lower end is that of an error by a factor. Up to there it is as far below as the upper end is above.
double lower_end(double predicted, double reach) {
  return predicted * std::max(1 - reach, 1 / ((1 + reach) * (1 + reach)));
}

// At most as many processes run at once as there are cores where they are.
double cores_used(const Target& target) {
  const std::set<MachineId> used(target.machine_of.begin(), target.machine_of.end());
  double cores = 0;
  for (const MachineId machine : used)
    if (machine.value < target.machines.size()) cores += target.machines[machine.value].cores;
  return cores;
}

// Whether a process is on a machine of another speed than in the trace.
bool changes_speed(const History& history, const Target& target) {
  const auto speed = [](const std::vector<MachineInfo>& machines, MachineId machine) {
    return machine.value < machines.size() ? machines[machine.value].speed : 1;
  };
  for (std::uint32_t p = 0; p < history.process_count(); ++p)
    if (speed(history.info.machines, history.info.processes[p].machine) != speed(target.machines, target.machine_of[p]))
      return true;
  return false;
}

// How far alternatives are from the prediction: root mean squares.
class Differences {
 public:
  void add(double P, double elapsed) {
    squares_P_ += P * P;
    squares_elapsed_ += elapsed * elapsed;
    ++count_;
  }
  double P() const { return count_ > 0 ? std::sqrt(squares_P_ / count_) : 0; }
  double elapsed() const { return count_ > 0 ? std::sqrt(squares_elapsed_ / count_) : 0; }

 private:
  double squares_P_ = 0, squares_elapsed_ = 0;
  int count_ = 0;
};

// Relative. Batches that were always full in the trace may be split where they wait longer.
double error_of_full_batches(const History& history, const Predicted& predicted, const Schedule& schedule) {
  if (!predicted.hidden.has(HiddenState::Kind::full_batches)) return 0;
  const Target traced = traced_target(history);
  const ReplayResult here = Replay(history, traced, predicted.roles).run(Order::recorded, traced.machine_of, true);
  double possible_ns = 0;
  for (const HiddenState::Entry& entry : predicted.hidden.entries)
    if (entry.kind == HiddenState::Kind::full_batches)
      possible_ns += possible_batches_ns(history, entry.process, schedule, *here.schedule);
  return possible_ns * 1e-9 / (predicted.elapsed_s * std::min(1.0, predicted.P));
}

Interval interval_of_rule(const History& history, const Target& target, const Predicted& predicted,
                          double known_error) {
  const double rounding = static_cast<double>(history.events.size()) * 1e-9 / predicted.elapsed_s;
  if (predicted.is_the_run) {
    const double off = rounding + known_error;
    return {lower_end(predicted.P, off), predicted.P * (1 + off), lower_end(predicted.elapsed_s, off),
            predicted.elapsed_s * (1 + off)};
  }
  const ReplayResult run = Replay(history, target, predicted.roles).run(predicted.order, target.machine_of, true);
  Alternatives alternatives(history, predicted.roles, predicted.choices, predicted.hidden, *run.schedule,
                            changes_speed(history, target));
  if (alternatives.shuffles_receivers()) {
    const Roles roles = alternatives.with_receivers_of_trace();
    const ReplayResult same = Replay(history, target, roles).run(Order::role, target.machine_of);
    const double off = same.elapsed_ns * 1e-9 / predicted.elapsed_s - 1;
    if (same.not_performed != 0 || std::abs(off) > kSameReceivers) alternatives.keep_receivers();
  }
  const auto replay_some = [&](int count, std::span<const std::size_t> places_off) {
    Random random = Random::stream(1, "alternatives");  // the same interval every time
    Differences differences;
    for (int i = 0; i < count; ++i) {
      for (const std::size_t places : places_off) {
        const auto other = alternatives.draw(random, places);
        const Order order = other.roles.destinations == nullptr ? predicted.order : Order::role;
        const ReplayResult there = Replay(other.history, target, other.roles).run(order, target.machine_of);
        if (there.not_performed != 0 || there.elapsed_ns <= 0) continue;
        differences.add(static_cast<double>(there.cpu_ns) / there.elapsed_ns / predicted.P - 1,
                        there.elapsed_ns * 1e-9 / predicted.elapsed_s - 1);
        break;
      }
    }
    return differences;
  };
  const Differences shown = replay_some(alternatives.none() ? 0 : kAlternatives, kNotHidden);
  const Differences hidden = replay_some(alternatives.has_hidden() ? kHiddenAlternatives : 0, kPlacesOff);
  const double certain = rounding + known_error + error_of_full_batches(history, predicted, *run.schedule);
  const auto hidden_error = alternatives.parts() ? predicted.hidden.expected_error() : HiddenState::Error{};
  const double P = certain + kDeviations * std::max(shown.P(), hidden.P());
  const double elapsed = certain + kDeviations * std::max(shown.elapsed(), hidden.elapsed());
  const double high_P = predicted.P * (1 + P + hidden_error.above);
  const double most_P = target.replicas.empty() ? std::max(cores_used(target), predicted.P) : high_P;
  // A run with a higher P is shorter.
  return {lower_end(predicted.P, P + hidden_error.below), std::min(high_P, most_P),
          lower_end(predicted.elapsed_s, elapsed + hidden_error.above),
          predicted.elapsed_s * (1 + elapsed + hidden_error.below)};
}

}  // namespace

Interval find_interval(const History& history, const Target& target, const Predicted& predicted,
                       const CausalityCheck& causality, double known_error) {
  Interval interval = interval_of_rule(history, target, predicted, known_error);
  if (predicted.is_the_run || predicted.alternatives.empty()) return interval;
  for (const Roles& roles : predicted.alternatives) {
    const ReplayResult run = Replay(history, target, roles).run(Order::role, target.machine_of, true);
    if (run.not_performed != 0 || run.elapsed_ns <= 0 || !causality.early_answers(*run.schedule, roles).empty())
      continue;
    const double elapsed_s = run.elapsed_ns * 1e-9, P = static_cast<double>(run.cpu_ns) / run.elapsed_ns;
    const double below = interval.low_elapsed_s / predicted.elapsed_s,
                 above = interval.high_elapsed_s / predicted.elapsed_s;
    interval.low_elapsed_s = std::min(interval.low_elapsed_s, elapsed_s * below);
    interval.high_elapsed_s = std::max(interval.high_elapsed_s, elapsed_s * above);
    interval.low_P = std::min(interval.low_P, P * (interval.low_P / predicted.P));
    interval.high_P = std::max(interval.high_P, P * (interval.high_P / predicted.P));
  }
  return interval;
}

}  // namespace dpm
