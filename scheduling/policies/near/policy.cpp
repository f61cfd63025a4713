// near: puts processes that talk to each other on one machine. Moves the process that saves most messages between machines. It
// does not know what CPU time costs, so in the end it crowds one machine.
#include "scheduling/policies/interface/policy.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <memory>

namespace dpm::policies::near {

class Near : public Policy {
 public:
  explicit Near(const PolicyOptions& options) : gain_min_(options.gain_min) {}

  Proposal propose(const SystemView& view) override {
    const std::size_t machines = view.machines.size();
    // Messages that each process exchanges with the processes of each machine.
    std::vector<std::int64_t> exchanged(view.machine_of.size() * machines, 0);
    std::int64_t all = 0;
    for (const auto& [pair, traffic] : view.window.traffic()) {
      const auto [from, to] = pair;
      if (from == to || to.value >= view.machine_of.size() || from.value >= view.machine_of.size()) continue;
      const MachineId here = view.machine_of[from.value], there = view.machine_of[to.value];
      if (here.is_none() || there.is_none()) continue;
      const auto messages = static_cast<std::int64_t>(traffic.messages);
      exchanged[from.value * machines + there.value] += messages;
      exchanged[to.value * machines + here.value] += messages;
      all += messages;
    }
    ProcessMove best;
    std::int64_t most_saved = 0;
    for (std::size_t p = 0; p < view.machine_of.size(); ++p) {
      if (!view.may_move[p]) continue;
      const std::int64_t here = exchanged[p * machines + view.machine_of[p].value];
      for (const MachineId machine : view.usable_machines()) {
        const std::int64_t saved = exchanged[p * machines + machine.value] - here;
        if (saved <= most_saved) continue;
        most_saved = saved;
        best = {{static_cast<std::uint32_t>(p)}, view.machine_of[p], machine};
      }
    }
    if (best.process.is_none() || static_cast<double>(most_saved) < gain_min_ * static_cast<double>(all))
      return {{}, std::nullopt, "no move saves many messages between machines"};
    return {{best}, std::nullopt, fmt::format("saves {} of {} messages between machines", most_saved, all)};
  }

 private:
  double gain_min_;
};

std::unique_ptr<Policy> make(const PolicyOptions& options) { return std::make_unique<Near>(options); }

}  // namespace dpm::policies::near
