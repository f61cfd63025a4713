// Does steps as long as a comparison holds.
#pragma once

#include "scenarios/behaviour/criterion.hpp"

namespace dpm::steps {

struct While {
  static const StepWords words;

  Criterion criterion;
  Steps steps;

  void fields(StepFields& fields);
  void perform(Performer& performer, Activity& activity) const;
};

}  // namespace dpm::steps
