// Groups of states that `dpm sample report` shows as one: "CPU=cpu_run,cpu_queue" (S4 4.4).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"
#include "sampling/states/state.hpp"

namespace dpm::sampling {

// Names of components that no group of the user can have.
inline constexpr std::string_view kOtherGroup = "other", kUnrecognisedGroup = "unrecognised";

struct StateGroup {
  std::string name;
  std::vector<State> states;

  friend bool operator==(const StateGroup&, const StateGroup&) = default;
};

// From the text of options. A state may be in one group only; those in no group are one more group, "other", at the end. An
// unknown state is refused with the nearest name, and a name that another row of the table would have.
Result<std::vector<StateGroup>> read_groups(std::span<const std::string> texts);
// Each state as a group with its label.
std::vector<StateGroup> single_states();

// "cpu,disk"; an unknown resource is refused with the nearest name.
Result<std::vector<Resource>> read_resources(const std::string& text);

}  // namespace dpm::sampling
