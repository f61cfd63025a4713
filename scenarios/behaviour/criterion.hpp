// What `if` and `while` ask: how a variable, or what is calculated, compares with a number.
#pragma once

#include "scenarios/behaviour/step_fields.hpp"

namespace dpm {

struct Criterion {
  Value compared;
  std::optional<Value> at_least{}, at_most{}, equals{};  // one of them

  void fields(StepFields& fields, const Field& verb);
  bool holds(Performer& performer, const Activity& activity) const;
};

}  // namespace dpm
