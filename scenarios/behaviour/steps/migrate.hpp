// Moves processes to another machine while they run.
#pragma once

#include "scenarios/behaviour/step_fields.hpp"

namespace dpm::steps {

struct Migrate {
  static const StepWords words;

  Whom processes;
  std::string machine;

  void fields(StepFields& fields);
  void perform(Performer& performer, Activity& activity) const;
};

}  // namespace dpm::steps
