// Random programs with a scheduler that moves their processes: none must become slower by it than without one, and where its
// moves are measured, their gains must be near those that it predicted.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "scheduling/demos/scheduler_program.hpp"
#include "validation/common/claim_program.hpp"
#include "validation/common/need.hpp"
#include "validation/common/traced_run.hpp"
#include "validation/program_generator/random_program.hpp"

namespace {

using namespace dpm;
using namespace dpm::validation;

constexpr std::uint64_t kFirstSeed = 5001;
constexpr std::uint64_t kPrograms = 100, kQuickPrograms = 12;
constexpr double kWorseMax = 0.02;  // than without a scheduler
const std::vector<std::string> kPolicies = {"predicted", "even-load", "near"};
// Parts of the time that the program takes without a scheduler.
constexpr double kWindow = 0.1, kSettling = 0.02, kEvery = 0.02;

struct Scheduled {
  std::string program;
  double none_s = 0;
  std::vector<double> elapsed_s;      // by policy
  std::vector<JournalEntry> journal;  // of the first policy

  double change(std::size_t policy) const { return elapsed_s[policy] / none_s - 1; }
  bool has(DecisionOutcome outcome) const {
    return std::any_of(journal.begin(), journal.end(), [&](const auto& entry) { return entry.outcome == outcome; });
  }
};

// The elapsed time if every move had gained what was predicted, by the run without a scheduler. Nothing if no move lasted, or not
// every one did. A move that is still measured at the end has lasted.
std::optional<double> expected_s(const Scheduled& run) {
  if (run.has(DecisionOutcome::undone) || run.has(DecisionOutcome::failed)) return std::nullopt;
  double at_s = 0, speed = 1, left_s = run.none_s;
  for (const auto& entry : run.journal) {
    if (!entry.predicted || (entry.outcome != DecisionOutcome::kept && entry.outcome != DecisionOutcome::open))
      continue;
    left_s -= (entry.at.seconds() - at_s) * speed;
    at_s = entry.at.seconds();
    speed *= 1 + entry.predicted->expected;
  }
  if (at_s <= 0) return std::nullopt;
  return at_s + left_s / speed;
}

// The filter and the scheduler have a machine of their own, so that they take no CPU time from the program.
Scenario with_observer(Scenario scenario) {
  MachineDescription observer;
  observer.name = "observer";
  observer.accepts = false;
  scenario.machines.push_back(observer);
  for (auto& filter : scenario.filters) filter.machine = observer.name;
  return scenario;
}

SimTruth run_with(const Scenario& unscheduled, const SchedulerDescription& description, const std::string& policy) {
  Scenario scenario = unscheduled;
  need(add_scheduler(scenario, description, policy), policy);
  return TracedRun(scenario).truth;
}

Scheduled schedule(const RandomProgram& program) {
  const auto& placements = program.file.placement_names;
  const Scenario scenario =
      with_observer(instance(program.file, placements[program.seed % placements.size()], {}, program.seed));
  SchedulerDescription description;
  description.machine = "observer";
  Scheduled result{program.name(), run_with(scenario, description, "none").makespan_all.seconds(), {}, {}};
  description.window = Duration::from_seconds(result.none_s * kWindow);
  description.settling = Duration::from_seconds(result.none_s * kSettling);
  description.every = Duration::from_seconds(result.none_s * kEvery);
  description.decision_cpu = Duration::from_seconds(result.none_s * kEvery / 100);
  description.horizon = Duration::from_seconds(result.none_s / 2);
  result.none_s = run_with(scenario, description, "none").makespan_all.seconds();
  for (const auto& policy : kPolicies) {
    const SimTruth truth = run_with(scenario, description, policy);
    result.elapsed_s.push_back(truth.makespan_all.seconds());
    if (policy == kPolicies.front()) result.journal = journal_of(truth.printed);
  }
  return result;
}

ResultTable by_policy(const std::vector<Scheduled>& runs) {
  ResultTable table{
      "Elapsed time against that without a scheduler",
      {"policy", "programs", "mean", "best", "worst", "slower by more than 2 %", "faster by more than 5 %"},
      {}};
  for (std::size_t policy = 0; policy < kPolicies.size(); ++policy) {
    double sum = 0, best = 0, worst = 0;
    std::size_t slower = 0, faster = 0;
    for (const auto& run : runs) {
      const double change = run.change(policy);
      sum += change;
      best = std::min(best, change);
      worst = std::max(worst, change);
      slower += change > kWorseMax ? 1 : 0;
      faster += change < -0.05 ? 1 : 0;
    }
    table.rows.push_back({kPolicies[policy], std::to_string(runs.size()),
                          signed_text(sum / static_cast<double>(runs.size())), signed_text(best, 1),
                          signed_text(worst, 1), std::to_string(slower), std::to_string(faster)});
  }
  return table;
}

ClaimResult measure(const Asked& asked) {
  std::vector<Scheduled> runs;
  const std::uint64_t count = asked.quick ? kQuickPrograms : kPrograms;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i % 10 == 0) say(fmt::format("scheduled programs: {} of {}", i, count));
    runs.push_back(schedule(random_program(kFirstSeed + i)));
  }
  const auto worst = std::max_element(runs.begin(), runs.end(),
                                      [](const auto& a, const auto& b) { return a.change(0) < b.change(0); });
  ClaimResult result;
  double changes = 0, gain_errors = 0, elapsed_errors = 0;
  std::size_t measured = 0, expected = 0, kept = 0, undone = 0;
  for (const auto& run : runs) {
    changes += run.change(0);
    if (const auto wanted_s = expected_s(run)) {
      elapsed_errors += std::fabs(*wanted_s / run.elapsed_s.front() - 1);
      ++expected;
    }
    for (const auto& entry : run.journal) {
      kept += entry.outcome == DecisionOutcome::kept ? 1 : 0;
      undone += entry.outcome == DecisionOutcome::undone ? 1 : 0;
      const auto gain = entry.measured_gain();
      if (!entry.predicted || !gain) continue;
      gain_errors += std::fabs(entry.predicted->expected - *gain) / (1 + *gain);
      ++measured;
    }
  }
  result.figures["worst_change"] = 100 * worst->change(0);
  result.figures["mean_change"] = 100 * changes / static_cast<double>(runs.size());
  result.figures["gain_error"] = measured > 0 ? 100 * gain_errors / static_cast<double>(measured) : 0;
  result.figures["elapsed_error"] = expected > 0 ? 100 * elapsed_errors / static_cast<double>(expected) : 0;
  result.remarks = {fmt::format("the program that does worst with '{}' is {}", kPolicies.front(), worst->program),
                    fmt::format("{} decisions were kept, {} undone", kept, undone),
                    fmt::format("{} programs had moves, and all of these lasted", expected)};
  result.tables = {by_policy(runs)};
  return result;
}

}  // namespace

int main(int argc, char** argv) { return run_claim_program(argc, argv, {{}, measure}); }
