// Puts the sender of the message being handled on a list.
#pragma once

#include "scenarios/behaviour/step_fields.hpp"

namespace dpm::steps {

struct Subscribe {
  static const StepWords words;

  Subscription list;

  void fields(StepFields& fields);
  void perform(Performer& performer, Activity& activity) const;
};

}  // namespace dpm::steps
