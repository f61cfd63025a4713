// The functions with the most CPU time, and what is missing in the call stacks of a run, as text and as JSON with the same numbers.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sampling/stacks/named_stacks.hpp"

namespace dpm::cli {

std::string stacks_text(const sampling::NamedStacks& stacks, int width);
nlohmann::ordered_json stacks_json(const sampling::NamedStacks& stacks);

}  // namespace dpm::cli
