// predicted: replays the window on other placements (analysis/prediction), and moves only if the best of them is worth it:
//   - the gain exceeds `gain_min` (hysteresis), and what the prediction may be off: its interval is above 0;
//   - over `horizon`, the gain is worth more than the time that the moved processes stand still.
// The way to the best placement is a list of moves; the decision loop makes them one after another, and measures once.
#include "scheduling/policies/interface/policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "analysis/prediction/prediction.hpp"
#include "analysis/prediction/search.hpp"

namespace dpm::policies::predicted {
namespace {

Proposal nothing(std::string reason) { return {{}, std::nullopt, std::move(reason)}; }

// The process and its threads, as far as they have events.
std::vector<std::size_t> active_threads(const History& history, std::size_t process) {
  std::vector<std::size_t> threads;
  for (std::size_t p = process; p + 1 < history.first_event.size(); ++p)
    if ((p == process || history.info.processes[p].group.value == process) &&
        history.first_event[p] != history.first_event[p + 1])
      threads.push_back(p);
  return threads;
}

}  // namespace

class Predicted : public Policy {
 public:
  explicit Predicted(const PolicyOptions& options) : options_(options) {}

  Proposal propose(const SystemView& view) override {
    const auto history = view.window.history(options_.replayed_events_max);
    if (!history) return nothing("the window cannot be predicted: " + history.error().what);
    Target base = traced_target(*history);
    base.machines = view.machines;
    for (std::size_t p = 0; p < view.machine_of.size() && p < base.machine_of.size(); ++p)
      if (!view.machine_of[p].is_none()) base.machine_of[p] = view.machine_of[p];
    SearchOptions search_options{.keep = 1,
                                 .exhaustive_limit = options_.evaluations,
                                 .evaluations = options_.evaluations,
                                 .seed = options_.seed};
    for (std::size_t p = 0; p < view.machine_of.size(); ++p)
      if (view.may_move[p] && !active_threads(*history, p).empty())
        search_options.movable.push_back(history->info.processes[p].name);
    for (const MachineId machine : view.usable_machines())
      search_options.machines.push_back(view.machines[machine.value].name);
    if (search_options.movable.empty()) return nothing("no process that may move has done anything");
    if (search_options.machines.size() < 2) return nothing("there are not two machines to choose from");
    const auto found = search(*history, base, search_options);
    if (!found) return nothing("no placement can be predicted: " + found.error().what);
    if (found->candidates.empty()) return nothing("no placement can be predicted");
    return judge(view, *history, base, *found);
  }

 private:
  Proposal judge(const SystemView& view, const History& history, Target target, const SearchResult& found) const {
    const Candidate& best = found.candidates.front();
    Proposal proposal;
    for (std::size_t p = 0; p < view.machine_of.size() && p < best.machine_of.size(); ++p) {
      if (!view.may_move[p]) continue;
      for (const std::size_t thread : active_threads(history, p)) {
        if (best.machine_of[thread] == view.machine_of[thread]) continue;
        proposal.moves.push_back({{static_cast<std::uint32_t>(p)}, view.machine_of[thread], best.machine_of[thread]});
        break;  // threads move with their process
      }
    }
    const double gain = best.elapsed_s > 0 ? found.base.elapsed_s / best.elapsed_s - 1 : 0;
    if (proposal.moves.empty() || gain < options_.gain_min)
      return nothing(fmt::format("the best of {} placements is predicted to gain {:.1f} %", found.evaluated,
                                 std::max(gain, 0.0) * 100));
    target.machine_of = best.machine_of;
    const auto prediction = predict(history, target);
    if (!prediction) return nothing("the best placement cannot be predicted: " + prediction.error().what);
    proposal.predicted = GainRange{gain, gain, gain};
    if (prediction->interval) {
      proposal.predicted->low = found.base.elapsed_s / prediction->interval->high_elapsed_s - 1;
      proposal.predicted->high = found.base.elapsed_s / prediction->interval->low_elapsed_s - 1;
    }
    const double cost_s = options_.move_cost.seconds() * static_cast<double>(proposal.moves.size());
    const GainRange range = *proposal.predicted;
    proposal.reason = fmt::format("the best of {} placements is predicted to gain {:.1f} % ({:.1f} to {:.1f} %)",
                                  found.evaluated, range.expected * 100, range.low * 100, range.high * 100);
    if (range.low <= 0) return nothing(proposal.reason + ", which is within the interval");
    if (range.expected * options_.horizon.seconds() <= cost_s)
      return nothing(proposal.reason + fmt::format(", less than moving costs ({:.2g} s)", cost_s));
    return proposal;
  }

  PolicyOptions options_;
};

std::unique_ptr<Policy> make(const PolicyOptions& options) { return std::make_unique<Predicted>(options); }

}  // namespace dpm::policies::predicted
