#include "analysis/parallelism/parallelism.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/parallelism/longest_path.hpp"
#include "analysis/parallelism/thesis1984.hpp"

namespace dpm {
namespace {

ParallelismStep step(double cpu_ns, double t_max_ns) {
  return {cpu_ns * 1e-9, t_max_ns * 1e-9, t_max_ns > 0 ? cpu_ns / t_max_ns : 0};
}

ParallelismStep step(const LongestPath& path) {
  return step(static_cast<double>(path.cpu_ns), static_cast<double>(path.t_max_ns));
}

Error no_cpu_time() {
  return Error{
      "the trace has no CPU times: let the rules of the filter keep the field procTime, or record with 'dpm meter' "
      "instead of importing"};
}

Error circle(std::uint64_t events) {
  return Error{
      fmt::format("the trace contradicts itself: {} events wait for messages that are sent only after them. Was it put "
                  "together from different runs, or are message numbers wrong?",
                  events)};
}

constexpr double kOtherLoadWorthSaying = 1.05;  // t_max with it, in parts of that without

void set_steps(const StepPaths& paths, Parallelism& parallelism) {
  parallelism.no_delay = step(paths.no_delay);
  parallelism.delay = step(paths.delay);
}

}  // namespace

std::string_view name_of(SharingMethod method) {
  if (method == SharingMethod::none) return "none";
  return method == SharingMethod::replay ? "replay" : "thesis1984";
}

std::optional<SharingMethod> sharing_method_from_name(std::string_view name) {
  for (const auto method : {SharingMethod::replay, SharingMethod::thesis1984, SharingMethod::none}) {
    if (name == name_of(method)) return method;
  }
  return std::nullopt;
}

Result<Parallelism> measure_parallelism(const History& history, const Target& target, SharingMethod method,
                                        std::optional<Schedule>* schedule) {
  const std::uint64_t cpu_ns = history.cpu_ns();
  if (cpu_ns == 0) return no_cpu_time();
  Parallelism parallelism;
  parallelism.method = method;
  parallelism.placement = target.placement;
  parallelism.run = as_it_ran(history, cpu_ns);
  MessageCosts costs(history, target);
  const LongestPath no_delay = longest_path(history, costs, MessageDelays::none);
  if (no_delay.not_reached > 0) return circle(no_delay.not_reached);
  set_steps({no_delay, longest_path(history, costs, MessageDelays::target)}, parallelism);
  if (method == SharingMethod::thesis1984) parallelism.delay_cpu = step(thesis1984_path(history, costs));
  if (method == SharingMethod::replay) {
    ReplayResult replayed = Replay(history, target).run(Order::recorded, target.machine_of, true);
    parallelism.overlaps = find_false_overlaps(history, *replayed.schedule);
    parallelism.delay_cpu = step(static_cast<double>(replayed.cpu_ns), replayed.elapsed_ns);
    if (schedule != nullptr && replayed.not_performed == 0) *schedule = std::move(replayed.schedule);
  }
  return parallelism;
}

void add_other_load(const History& history, Target target, const Schedule& schedule, std::vector<MachineLoad> loads,
                    Parallelism& parallelism) {
  const auto is_known = [](const MachineLoad& load) { return load.evidence != LoadEvidence::none; };
  if (parallelism.method != SharingMethod::replay || std::none_of(loads.begin(), loads.end(), is_known)) return;
  target.other_load = in_replay_time(loads, history, schedule, target.machines);
  const auto has_steps = [](const OtherLoad& load) { return !load.steps.empty(); };
  parallelism.machines = std::move(loads);
  if (std::none_of(target.other_load.begin(), target.other_load.end(), has_steps)) {
    parallelism.other_load = parallelism.delay_cpu;
    return;
  }
  const ReplayResult replayed = Replay(history, target).run(Order::recorded, target.machine_of);
  parallelism.other_load = step(static_cast<double>(replayed.cpu_ns), replayed.elapsed_ns);
}

std::optional<std::string> warning_of_other_load(const Parallelism& parallelism) {
  if (!parallelism.other_load ||
      parallelism.other_load->t_max_s < kOtherLoadWorthSaying * parallelism.delay_cpu.t_max_s)
    return std::nullopt;
  std::string machines;
  for (const MachineLoad& load : parallelism.machines) {
    if (load.over_time.steps.empty()) continue;
    if (!machines.empty()) machines += ", ";
    machines += "'" + load.name + "' ";
    machines += load.evidence == LoadEvidence::run_queue_wait
                    ? fmt::format("({:.2f} s of waiting for its CPU)", load.ready_for_others_s)
                    : fmt::format("({:.2f} other processes on average)", load.others);
  }
  return fmt::format("other computations used the machines during the run: {}; with them P is {:.3f} instead of {:.3f}",
                     machines, parallelism.other_load->P, parallelism.delay_cpu.P);
}

Result<Parallelism> measure_together(const History& history, const HistoryShare& share, const Target& target,
                                     StepWorkers& workers) {
  MessageCosts costs(history, target);
  const auto passed = workers.pass(share, costs);
  if (!passed) return passed.error();
  if (passed->traced_cpu_ns == 0) return no_cpu_time();
  Parallelism parallelism;
  parallelism.method = SharingMethod::none;
  parallelism.placement = target.placement;
  parallelism.run = as_it_ran(history, passed->traced_cpu_ns);
  set_steps(passed->paths, parallelism);
  return parallelism;
}

Result<Schedule> contended_schedule(const History& history, const Target& target) {
  ReplayResult replayed = Replay(history, target).run(Order::recorded, target.machine_of, true);
  if (replayed.not_performed > 0) return circle(replayed.not_performed);
  return std::move(*replayed.schedule);
}

}  // namespace dpm
