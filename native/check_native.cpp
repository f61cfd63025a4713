#include "native/check_native.hpp"

#include "model/check_scenario.hpp"

namespace dpm::native {

Result<void> check_native(const Scenario& scenario) {
  if (auto done = check_scenario(scenario); !done) return done;
  const auto about = [&](const std::string& what) { return Error{"scenario '" + scenario.name + "': " + what}; };
  for (const auto& machine : scenario.machines) {
    if (machine.cores != 1)
      return about(
          "machine '" + machine.name +
          "' has several cores, and a native run gives each machine one: leave \"cores\" out to run it natively, or "
          "simulate it");
    if (machine.speed != 1)
      return about(
          "machine '" + machine.name +
          "' has a speed of its own, which real processors do not change for us: leave \"speed\" out to run it "
          "natively, or simulate it");
  }
  if (!scenario.faults.empty())
    return about(
        "it has faults, and real machines are not made to fail: leave \"faults\" out to run it natively, or "
        "simulate it");
  return {};
}

}  // namespace dpm::native
