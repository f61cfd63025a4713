// Sends a message and goes on.
#pragma once

#include "scenarios/behaviour/outgoing.hpp"

namespace dpm::steps {

struct Send {
  static const StepWords words;

  Outgoing message;

  void fields(StepFields& fields);
  void perform(Performer& performer, Activity& activity) const;
};

}  // namespace dpm::steps
