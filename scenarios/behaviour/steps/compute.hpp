// Uses CPU time.
#pragma once

#include "scenarios/behaviour/step_fields.hpp"

namespace dpm::steps {

struct Compute {
  static const StepWords words;

  Quantity amount;  // seconds on a machine of speed 1

  void fields(StepFields& fields);
  void perform(Performer& performer, Activity& activity) const;
};

}  // namespace dpm::steps
