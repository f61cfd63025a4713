// none: moves nothing. What every other policy is compared with.
#include "scheduling/policies/interface/policy.hpp"

#include <memory>

namespace dpm::policies::none {

class None : public Policy {
 public:
  Proposal propose(const SystemView&) override { return {{}, std::nullopt, "this policy moves nothing"}; }
};

std::unique_ptr<Policy> make(const PolicyOptions&) { return std::make_unique<None>(); }

}  // namespace dpm::policies::none
