// Adds to a variable.
#pragma once

#include "scenarios/behaviour/step_fields.hpp"

namespace dpm::steps {

struct Count {
  static const StepWords words;

  Variable variable;
  Quantity by = Quantity::constant(1);

  void fields(StepFields& fields);
  void perform(Performer& performer, Activity& activity) const;
};

}  // namespace dpm::steps
