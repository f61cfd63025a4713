// Receives messages of a kind; the last becomes the one being handled. Other kinds are kept for the handlers.
#pragma once

#include "scenarios/behaviour/step_fields.hpp"

namespace dpm::steps {

struct Wait {
  static const StepWords words;

  KindName kind;
  Whom from;
  Whole count;

  void fields(StepFields& fields);
  void perform(Performer& performer, Activity& activity) const;
};

}  // namespace dpm::steps
