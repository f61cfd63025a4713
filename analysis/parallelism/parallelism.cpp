#include "analysis/parallelism/parallelism.hpp"

#include <fmt/format.h>

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
