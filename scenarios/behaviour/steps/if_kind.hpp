// Does one or the other, by the kind of the message being handled.
#pragma once

#include "scenarios/behaviour/step_fields.hpp"

namespace dpm::steps {

struct IfKind {
  static const StepWords words;

  KindNames kinds;
  Steps steps;
  Steps otherwise;

  void fields(StepFields& fields);
  void perform(Performer& performer, Activity& activity) const;
};

}  // namespace dpm::steps
