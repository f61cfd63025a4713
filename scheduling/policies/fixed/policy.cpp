// fixed: the placement of a file.
#include "scheduling/policies/interface/policy.hpp"

#include <memory>

namespace dpm::policies::fixed {

class Fixed : public Policy {
 public:
  explicit Fixed(const PolicyOptions& options) : placement_(options.placement) {}

  Proposal propose(const SystemView& view) override {
    Proposal proposal;
    for (std::size_t p = 0; p < view.machine_of.size(); ++p) {
      if (!view.may_move[p]) continue;
      const auto wanted = placement_.find(view.window.info().processes[p].name);
      if (wanted == placement_.end()) continue;
      const bool stays = p >= view.stays.size() || view.stays[p];
      for (const MachineId machine : view.usable_machines())
        if (view.machines[machine.value].name == wanted->second && (machine != view.machine_of[p] || !stays))
          proposal.moves.push_back({{static_cast<std::uint32_t>(p)}, view.machine_of[p], machine});
    }
    proposal.reason = proposal.moves.empty() ? "every process is where the placement has it" : "the placement";
    return proposal;
  }

 private:
  std::map<std::string, std::string> placement_;
};

std::unique_ptr<Policy> make(const PolicyOptions& options) { return std::make_unique<Fixed>(options); }

}  // namespace dpm::policies::fixed
