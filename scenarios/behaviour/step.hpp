// A step: one of the structs in steps/, and how likely it is done. The build lists the folder in step_types.hpp:
// StepType is std::variant<steps::Call, steps::Choose, ...>.
#pragma once

#include "scenarios/behaviour/step_types.hpp"

namespace dpm {

struct Step {
  StepType what;
  double probability = 1;  // that the step is done at all
  int line = 0;            // of the file
};

// Calls visit(T{}) for every struct T in steps/.
template <typename Visit, std::size_t number = 0>
void each_step_type(const Visit& visit) {
  if constexpr (number < std::variant_size_v<StepType>) {
    visit(std::variant_alternative_t<number, StepType>{});
    each_step_type<Visit, number + 1>(visit);
  }
}

}  // namespace dpm
