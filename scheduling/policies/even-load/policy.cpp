// even-load: the classic load balancer. Moves the process that brings the loads of the busiest and the idlest machine closest
// together. The load of a machine is the CPU time that its processes used within the window, by its speed and cores. It
// does not know what messages cost.
#include "scheduling/policies/interface/policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace dpm::policies::even_load {

class EvenLoad : public Policy {
 public:
  explicit EvenLoad(const PolicyOptions& options) : gain_min_(options.gain_min) {}

  Proposal propose(const SystemView& view) override {
    const std::vector<MachineId> usable = view.usable_machines();
    if (usable.size() < 2) return {{}, std::nullopt, "there are not two machines to choose from"};
    // Work, so that CPU times of machines of different speed can be added.
    std::vector<double> work(view.machines.size(), 0), of_process(view.machine_of.size(), 0);
    for (std::size_t p = 0; p < view.machine_of.size(); ++p) {
      if (view.machine_of[p].is_none() || p >= view.window.loads().size()) continue;
      const auto cpu_ns = static_cast<double>(view.window.loads()[p].cpu_ns);
      of_process[p] = cpu_ns * view.machines[view.machine_of[p].value].speed;
      work[view.machine_of[p].value] += of_process[p];
    }
    const auto capacity = [&](MachineId m) { return view.machines[m.value].speed * view.machines[m.value].cores; };
    const auto load = [&](MachineId m) { return work[m.value] / capacity(m); };
    const auto less = [&](MachineId a, MachineId b) { return load(a) < load(b); };
    const MachineId busiest = *std::max_element(usable.begin(), usable.end(), less);
    const MachineId idlest = *std::min_element(usable.begin(), usable.end(), less);
    double best = load(busiest);
    const double wanted = best - gain_min_ * static_cast<double>(view.window.observed().ns);
    ProcessId chosen;
    for (std::size_t p = 0; p < view.machine_of.size(); ++p) {
      if (!view.may_move[p] || view.machine_of[p] != busiest || of_process[p] <= 0) continue;
      const double after = std::max((work[busiest.value] - of_process[p]) / capacity(busiest),
                                    (work[idlest.value] + of_process[p]) / capacity(idlest));
      if (after >= best) continue;
      best = after;
      chosen = {static_cast<std::uint32_t>(p)};
    }
    if (chosen.is_none() || best > wanted) return {{}, std::nullopt, "no move makes the loads clearly more even"};
    const double seconds = std::max(view.window.observed().seconds(), 1e-9);
    return {
        {{chosen, busiest, idlest}},
        std::nullopt,
        fmt::format("'{}' is {:.0f} % busy, '{}' {:.0f} %", view.machines[busiest.value].name,
                    load(busiest) * 1e-7 / seconds, view.machines[idlest.value].name, load(idlest) * 1e-7 / seconds)};
  }

 private:
  double gain_min_;
};

std::unique_ptr<Policy> make(const PolicyOptions& options) { return std::make_unique<EvenLoad>(options); }

}  // namespace dpm::policies::even_load
