#include "scenarios/native/native_run.hpp"

#include "scenarios/native/check_native.hpp"
#include "scenarios/native/launcher.hpp"

namespace dpm {

std::uint64_t NativeOutcome::messages() const {
  std::uint64_t sum = 0;
  for (const auto& process : processes)
    for (const auto& kind : process.kinds) sum += kind.sent;
  return sum;
}

std::uint64_t NativeOutcome::total_cpu_ns() const {
  std::uint64_t sum = 0;
  for (const auto& process : processes)
    if (process.in_computation) sum += process.cpu_ns;
  return sum;
}

double NativeOutcome::parallelism() const {
  return elapsed.ns > 0 ? static_cast<double>(total_cpu_ns()) / static_cast<double>(elapsed.ns) : 0;
}

Result<NativeOutcome> run_native(const Scenario& scenario, const NativeOptions& options) {
  if (auto done = native::check_native(scenario); !done) return done.error();
  native::Launcher launcher(scenario, options);
  if (auto done = launcher.start(); !done) return done.error();
  launcher.watch();
  return launcher.outcome();
}

}  // namespace dpm
