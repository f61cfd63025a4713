#include "analysis/prediction/interval.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "analysis/history/message_costs.hpp"
#include "analysis/prediction/alternatives.hpp"
#include "analysis/prediction/lower_bound.hpp"

namespace dpm {
namespace {

// Twelve alternatives know their root mean square to a fifth. More hardly narrow the interval, and each is a replay.
constexpr int kAlternatives = 12;
// Fitted on the random programs 1 to 150 (validation/random-programs), whose truths 94 % of the intervals then hold;
// the claim reports the coverage on others.
constexpr double kDeviations = 2;

// What no run of this work on the target can be beyond.
struct Bounds {
  double low_P = 0, high_P = 0, low_elapsed_s = 0;
};

// No sooner than the bound of every placement. And at worst one thing happens after the other.
Bounds bounds_of(const History& history, const Target& target, const Predicted& predicted) {
  std::vector<MachineId> machines;
  for (std::uint16_t m = 0; m < target.machines.size(); ++m) machines.push_back({m});
  const std::vector<bool> none_moves(history.process_count(), false);
  // Copies take work from a server that no bound knows of.
  const double least_s =
      target.replicas.empty() ? lower_bound_ns(history, target, none_moves, machines, predicted.order) * 1e-9 : 0;
  MessageCosts costs(history, target);
  double all_s = predicted.P * predicted.elapsed_s;
  const double T_s = all_s;
  for (std::uint32_t p = 0; p < history.process_count(); ++p)
    for (const HistoryEvent& event : history.of(ProcessId{p}))
      if (event.kind() == HistoryKind::send && event.match != kNoEvent)
        all_s += static_cast<double>(costs.delivery_ns(event, p, event.peer)) * 1e-9;
  for (const ExternalArc& arc : history.external_arcs) all_s += static_cast<double>(arc.elapsed_ns) * 1e-9;
  Bounds bounds;
  bounds.low_elapsed_s = std::min(least_s, predicted.elapsed_s);
  bounds.high_P = bounds.low_elapsed_s > 0 ? T_s / bounds.low_elapsed_s : std::numeric_limits<double>::infinity();
  bounds.low_P = all_s > 0 ? std::min(T_s / all_s, predicted.P) : 0;
  return bounds;
}

}  // namespace

Interval find_interval(const History& history, const Target& target, const Predicted& predicted, double known_error) {
  double squares_P = 0, squares_elapsed = 0;
  const ReplayResult run = Replay(history, target, predicted.roles).run(predicted.order, target.machine_of, true);
  const Alternatives alternatives(history, predicted.roles, *run.schedule);
  int count = 0;
  Random random = Random::stream(1, "alternatives");  // the same interval every time
  for (int i = 0; i < kAlternatives && !alternatives.none(); ++i) {
    const History other = alternatives.draw(random);
    const ReplayResult there = Replay(other, target, predicted.roles).run(predicted.order, target.machine_of);
    if (there.not_performed > 0 || there.elapsed_ns <= 0) continue;
    const double elapsed = there.elapsed_ns * 1e-9 / predicted.elapsed_s - 1;
    const double P = static_cast<double>(there.cpu_ns) / there.elapsed_ns / predicted.P - 1;
    squares_elapsed += elapsed * elapsed;
    squares_P += P * P;
    ++count;
  }
  const double rounding = static_cast<double>(history.events.size()) * 1e-9 / predicted.elapsed_s;
  const auto reach = [&](double squares) {
    return (count > 0 ? kDeviations * std::sqrt(squares / count) : 0) + rounding + known_error;
  };
  const double P = reach(squares_P), elapsed = reach(squares_elapsed);
  const Bounds bounds = bounds_of(history, target, predicted);
  return {std::max(predicted.P * (1 - P), bounds.low_P), std::min(predicted.P * (1 + P), bounds.high_P),
          std::max(predicted.elapsed_s * (1 - elapsed), bounds.low_elapsed_s), predicted.elapsed_s * (1 + elapsed)};
}

}  // namespace dpm
