#include "cli/schedule/schedule_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "answers/prediction/placement_file.hpp"
#include "cli/trace_options/window_option.hpp"
#include "model/nearest_name.hpp"
#include "scenarios/scenario_file.hpp"
#include "scheduling/placing/linux_affinity_calls.hpp"
#include "scheduling/policies/policy_registry.hpp"

namespace dpm::cli {
namespace {

constexpr const char* kSystem = "/sys/devices/system";
// What a decision of 50 processes on 8 machines can replay in 200 ms (bench/feedback.cpp).
constexpr std::size_t kReplayedEventsMax = 3000;
constexpr std::uint64_t kEvaluations = 150;
// What Linux lets a process run for before another that has been woken on its core: 0.7 ms for each doubling of the cores, and 0.7 ms
// (kernel/sched/fair.c, base_slice). A process that is bound waits for that even if another core is idle.
constexpr std::int64_t kSliceNs = 700'000;

// A move takes effect at once: what settles is what its processes have in caches.
constexpr std::int64_t kSettlingOfWindow = 10;

Duration time_slice_of(std::size_t cores) {
  return {kSliceNs * static_cast<std::int64_t>(std::bit_width(std::clamp<std::size_t>(cores, 1, 8)))};
}

std::string window_problem(const std::string& text) {
  const auto window = window_from(text);
  if (!window) return window.error().what;
  return *window < Duration::from_seconds(0.2) ? "a decision needs at least 0.2 s" : "";
}

Result<std::map<std::string, std::string>> read_fixed(const std::string& path, const std::vector<CpuPlace>& places) {
  const auto file = load_real_placement(path);
  if (!file) return file.error();
  std::vector<std::string> names;
  for (const CpuPlace& place : places) names.push_back(place.name);
  for (const auto& [process, machine] : file->placement.machine_of_process)
    if (std::find(names.begin(), names.end(), machine) == names.end())
      return Error{fmt::format("{}: '{}' is placed on '{}', which is not a place of this machine{}; there are {}", path,
                               process, machine, did_you_mean(machine, names), fmt::join(names, ", "))};
  return file->placement.machine_of_process;
}

}  // namespace

void ScheduleOptions::describe_optional(Options& options) {
  const Option policy = options.value(
      "--schedule", policy_,
      "Move the processes between cores while they run, by this policy: none, even-load, near, predicted or "
      "fixed. Every decision is measured, and undone if it has not helped; at the end the CPU affinities are "
      "as before");
  describe_others(options, policy);
}

void ScheduleOptions::describe(Options& options) {
  policy_ = "predicted";
  options
      .value("--policy", policy_,
             "How to choose: predicted (replays the last seconds on other placements), even-load, near (processes that "
             "exchange messages stand together), fixed (a file), none")
      .show_default();
  describe_others(options, std::nullopt);
}

void ScheduleOptions::describe_others(Options& options, std::optional<Option> needed) {
  const std::array others = {
      options
          .value("--onto", kind_, "What counts as a machine: cores, core-groups (that share a cache) or nodes (NUMA)")
          .one_of(place_kinds())
          .show_default(),
      options.value("--placement", placement_, "With the policy fixed: a JSON file that puts processes on cores"),
      options.value(
          "--delays", delays_,
          "A delay model file, as written by dpm calibrate (default: the delay of a message between two cores "
          "is measured in some milliseconds)"),
      options.value("--decision-window", window_, "How long a placement is observed before a decision and after it")
          .type_name("TIME")
          .check(window_problem)
          .show_default(),
      options.value("--gain-min", gain_min_percent_, "Move nothing for a predicted gain of less than this many percent")
          .between(0.0, 1000.0)
          .show_default(),
      options.flag("--dry-run", dry_run_, "Decide and write the journal, but move nothing")};
  if (!needed) return;
  for (const Option& option : others) option.needs(*needed);
}

Result<SchedulePlan> ScheduleOptions::plan() const {
  SchedulePlan plan;
  plan.policy = policy_;
  plan.kind = kind_;
  plan.dry_run = dry_run_;
  plan.window = window_from(window_).value();
  plan.settling = Duration{plan.window.ns / kSettlingOfWindow};
  plan.options.gain_min = gain_min_percent_ / 100;
  plan.options.move_cost = Duration::from_seconds(0.01);
  plan.options.evaluations = kEvaluations;
  plan.options.replayed_events_max = kReplayedEventsMax;
  if (auto known = make_policy(policy_, plan.options); !known) return known.error();
  LinuxAffinityCalls calls;
  const auto allowed = calls.affinity_of(0);
  auto places = read_places(kSystem, kind_, allowed.value_or(CpuSet{}));
  if (!places) return places.error();
  plan.places = *std::move(places);
  plan.options.time_slice = time_slice_of(calls.online().size());
  const bool is_fixed = policy_ == "fixed";
  if (is_fixed && placement_.empty()) return Error{"the policy fixed needs a file: --placement FILE"};
  if (!is_fixed && !placement_.empty()) return Error{"--placement is of the policy fixed, not of " + policy_};
  if (is_fixed) {
    auto fixed = read_fixed(placement_, plan.places);
    if (!fixed) return fixed.error();
    plan.options.placement = *std::move(fixed);
  }
  if (!delays_.empty()) {
    auto calibration = load_calibration(delays_);
    if (!calibration) return Error{"delays: " + calibration.error().what};
    plan.delays = calibration->delays;
  }
  return plan;
}

}  // namespace dpm::cli
