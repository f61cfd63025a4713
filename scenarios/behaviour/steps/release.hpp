// Gives a unit to a semaphore.
#pragma once

#include <string>

#include "scenarios/behaviour/step_fields.hpp"

namespace dpm::steps {

struct Release {
  static const StepWords words;

  std::string semaphore;

  void fields(StepFields& fields);
  void perform(Performer& performer, Activity& activity) const;
};

}  // namespace dpm::steps
