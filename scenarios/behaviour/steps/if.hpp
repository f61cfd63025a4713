// Does one or the other, by the value of a variable.
#pragma once

#include "scenarios/behaviour/criterion.hpp"

namespace dpm::steps {

struct If {
  static const StepWords words;

  Criterion criterion;
  Steps steps;
  Steps otherwise;

  void fields(StepFields& fields);
  void perform(Performer& performer, Activity& activity) const;
};

}  // namespace dpm::steps
