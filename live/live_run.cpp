#include "live/live_run.hpp"

#include "live/check_live.hpp"
#include "live/launcher.hpp"

namespace dpm {

std::uint64_t LiveOutcome::messages() const {
  std::uint64_t sum = 0;
  for (const auto& process : processes)
    for (const auto& kind : process.kinds) sum += kind.sent;
  return sum;
}

std::uint64_t LiveOutcome::total_cpu_ns() const {
  std::uint64_t sum = 0;
  for (const auto& process : processes)
    if (process.in_computation) sum += process.cpu_ns;
  return sum;
}

double LiveOutcome::parallelism() const {
  return elapsed.ns > 0 ? static_cast<double>(total_cpu_ns()) / static_cast<double>(elapsed.ns) : 0;
}

Result<LiveOutcome> run_live(const Scenario& scenario, const LiveOptions& options) {
  if (auto done = live::check_live(scenario); !done) return done.error();
  live::Launcher launcher(scenario, options);
  if (auto done = launcher.start(); !done) return done.error();
  launcher.watch();
  return launcher.outcome();
}

}  // namespace dpm
