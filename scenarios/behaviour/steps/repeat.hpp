// Does steps several times.
#pragma once

#include "scenarios/behaviour/step_fields.hpp"

namespace dpm::steps {

struct Repeat {
  static const StepWords words;

  Value times = 1;
  Steps steps;

  void fields(StepFields& fields);
  void perform(Performer& performer, Activity& activity) const;
};

}  // namespace dpm::steps
