#include "cli/run/feedback.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/run/simulation.hpp"
#include "scheduling/demos/scheduler_program.hpp"

namespace dpm::cli {
namespace {

constexpr std::int64_t kFineStepNs = 100'000'000;
constexpr std::size_t kStepsShown = 12;

// Messages received, by time. The clocks of simulated machines are those of their descriptions; a study of throughput has
// them alike.
class ReceivedByTime : public EventSink {
 public:
  void on_begin(const TraceInfo&) override {}
  void on_events(std::span<const Event> batch) override {
    for (const Event& event : batch) {
      if (event.type != EventType::receive || event.local_time.ns < 0) continue;
      const auto step = static_cast<std::size_t>(event.local_time.ns / kFineStepNs);
      if (received.size() <= step) received.resize(step + 1, 0);
      ++received[step];
    }
  }
  void on_end(const LossReport&) override {}

  std::vector<std::uint64_t> received;
};

Result<FeedbackRun> run_one(const Scenario& scenario, const std::string& name, const Progressing& progress) {
  ReceivedByTime received;
  const auto truth = simulate(scenario, {&received}, progress);
  if (!truth) return Error{name + ": " + truth.error().what};
  return FeedbackRun{name, std::move(received.received), truth->makespan_all.seconds(), journal_of(truth->printed)};
}

struct Choices {
  std::vector<std::size_t> processes;  // that may be moved, by index in the scenario
  std::vector<std::string> machines;
};

Choices choices_of(const Scenario& scenario) {
  Choices choices;
  const auto& wanted = scenario.scheduler->processes;
  for (std::size_t p = 0; p < scenario.processes.size(); ++p) {
    const auto& process = scenario.processes[p];
    const bool may_move =
        wanted.empty() ? process.in_computation : std::find(wanted.begin(), wanted.end(), process.name) != wanted.end();
    if (may_move) choices.processes.push_back(p);
  }
  for (const auto& machine : scenario.machines)
    if (machine.accepts.value_or(true)) choices.machines.push_back(machine.name);
  return choices;
}

// Tries every placement, if there are not too many.
Result<void> try_placements(const Scenario& scenario, FeedbackStudy& study, const Say& say) {
  const Choices choices = choices_of(scenario);
  const double count =
      std::pow(static_cast<double>(choices.machines.size()), static_cast<double>(choices.processes.size()));
  const auto limit = static_cast<double>(scenario.scheduler->static_placements_max);
  if (count > limit || choices.machines.empty()) return {};
  double best = -1;
  std::vector<std::size_t> at(choices.processes.size(), 0);
  for (;;) {
    Scenario placed = scenario;
    std::string name;
    for (std::size_t i = 0; i < at.size(); ++i) {
      auto& process = placed.processes[choices.processes[i]];
      process.machine = choices.machines[at[i]];
      name += (name.empty() ? "" : ", ") + process.name + " on " + process.machine;
    }
    ++study.static_placements;
    const Progressing progress{say, fmt::format("placement {} of {:.0f}", study.static_placements, count)};
    auto run = run_one(placed, name, progress);
    if (!run) return run.error();
    const double fine_s = static_cast<double>(kFineStepNs) * 1e-9;
    // Work of a fixed amount is compared by how long it takes.
    const double score = scenario.time_limit.ns > 0 ? run->rate_from(0, fine_s) : 1 / run->elapsed_s;
    if (score > best) {
      best = score;
      study.best_static = *std::move(run);
    }
    std::size_t digit = 0;
    while (digit < at.size() && ++at[digit] == choices.machines.size()) at[digit++] = 0;
    if (digit == at.size()) return {};
  }
}

void coarsen(std::vector<std::uint64_t>& received, std::size_t by, std::size_t steps) {
  std::vector<std::uint64_t> sums(steps, 0);
  for (std::size_t i = 0; i < received.size(); ++i) sums[std::min(i / by, steps - 1)] += received[i];
  received = std::move(sums);
}

}  // namespace

double FeedbackRun::rate_from(double from_s, double step_s) const {
  const auto first = static_cast<std::size_t>(from_s / step_s);
  std::uint64_t sum = 0;
  for (std::size_t i = first; i < received.size(); ++i) sum += received[i];
  const double seconds = elapsed_s - static_cast<double>(first) * step_s;
  return seconds > 0 ? static_cast<double>(sum) / seconds : 0;
}

Result<FeedbackStudy> run_feedback(const Scenario& scenario, const Say& say) {
  FeedbackStudy study;
  std::size_t fine_steps = 1;
  for (const auto& policy : scenario.scheduler->compare) {
    Scenario scheduled = scenario;
    if (auto added = add_scheduler(scheduled, *scenario.scheduler, policy); !added) return added.error();
    auto run = run_one(scheduled, policy, {say, "policy '" + policy + "'"});
    if (!run) return run.error();
    fine_steps = std::max(fine_steps, run->received.size());
    study.policies.push_back(*std::move(run));
  }
  const double fine_s = static_cast<double>(kFineStepNs) * 1e-9;
  if (auto tried = try_placements(scenario, study, say); !tried) return tried.error();
  const std::size_t by = std::max<std::size_t>((fine_steps + kStepsShown - 1) / kStepsShown, 1);
  study.step_s = fine_s * static_cast<double>(by);
  study.steps = (fine_steps + by - 1) / by;
  for (auto& run : study.policies) coarsen(run.received, by, study.steps);
  if (study.best_static) coarsen(study.best_static->received, by, study.steps);
  return study;
}

}  // namespace dpm::cli
