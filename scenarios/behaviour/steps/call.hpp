// Sends a message and waits for the reply to it.
#pragma once

#include "scenarios/behaviour/outgoing.hpp"
#include "scenarios/behaviour/timeout.hpp"

namespace dpm::steps {

struct Call {
  static const StepWords words;

  Outgoing message;
  Timeout timeout;
  bool at_once = false;

  void fields(StepFields& fields);
  void perform(Performer& performer, Activity& activity) const;
};

}  // namespace dpm::steps
