// Does one or the other, by the value of a variable.
#pragma once

#include "scenarios/behaviour/step_fields.hpp"

namespace dpm::steps {

struct If {
  static const StepWords words;

  Variable variable;
  std::optional<Number> at_least;
  std::optional<Number> at_most;
  std::optional<Number> equals;
  Steps steps;
  Steps otherwise;

  void fields(StepFields& fields);
  void perform(Performer& performer, Activity& activity) const;
  bool holds_for(double value) const;
};

}  // namespace dpm::steps
