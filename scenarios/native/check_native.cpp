#include "scenarios/native/check_native.hpp"

#include <fmt/format.h>

#include "model/check_scenario.hpp"

namespace dpm::native {

Result<void> check_native(const Scenario& scenario) {
  if (auto done = check_scenario(scenario); !done) return done;
  const auto about = [&](const std::string& what) {
    return Error{fmt::format("scenario '{}': {}", scenario.name, what)};
  };
  for (const auto& machine : scenario.machines) {
    if (machine.cores != 1)
      return about(
          fmt::format("machine '{}' has several cores, and a native run gives each machine one: leave \"cores\" out to "
                      "run it natively, or simulate it",
                      machine.name));
    if (machine.speed != 1)
      return about(fmt::format(
          "machine '{}' has a speed of its own, which a real processor does not: leave \"speed\" out to run "
          "it natively, or simulate it",
          machine.name));
  }
  for (const auto& link : scenario.network)
    if (link.loss > 0)
      return about(
          "its network loses messages, and a native run does not: leave \"loss\" out to run it natively, or simulate "
          "it");
  if (!scenario.semaphores.empty())
    return about(
        "it has semaphores, and the processes of a native run share no memory: leave \"semaphores\" out to run it "
        "natively, or simulate it");
  if (!scenario.faults.empty())
    return about(
        "it has faults, and a native run does not make machines fail: leave \"faults\" out to run it natively, or "
        "simulate it");
  return {};
}

}  // namespace dpm::native
