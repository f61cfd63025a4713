// Sets a variable.
#pragma once

#include "scenarios/behaviour/step_fields.hpp"

namespace dpm::steps {

struct Set {
  static const StepWords words;

  Variable variable;
  Quantity value;

  void fields(StepFields& fields);
  void perform(Performer& performer, Activity& activity) const;
};

}  // namespace dpm::steps
