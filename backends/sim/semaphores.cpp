#include "backends/sim/semaphores.hpp"

namespace dpm::sim {

Semaphores::Semaphores(const Scenario& scenario) {
  for (const SemaphoreDescription& described : scenario.semaphores) {
    Semaphore& semaphore = by_name_[described.name];
    semaphore.name = described.name;
    semaphore.units_of_beginning = described.units;
  }
}

Semaphore* Semaphores::find(std::string_view name) {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &found->second;
}

}  // namespace dpm::sim
