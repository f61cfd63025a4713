// Sends a message and waits for the reply to it.
#pragma once

#include "scenarios/behaviour/outgoing.hpp"

namespace dpm::steps {

struct Call {
  static const StepWords words;

  Outgoing message;

  void fields(StepFields& fields);
  void perform(Performer& performer, Activity& activity) const;
};

}  // namespace dpm::steps
