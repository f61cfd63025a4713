// The policies by name. The build collects them from scheduling/policies/NAME.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/result.hpp"
#include "scheduling/policies/interface/policy.hpp"

namespace dpm {

std::vector<std::string> policy_names();

// Refuses an unknown name, with the nearest.
Result<std::unique_ptr<Policy>> make_policy(const std::string& name, const PolicyOptions& options);

}  // namespace dpm
