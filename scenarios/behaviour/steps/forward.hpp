// Passes the message being handled on, with its request.
#pragma once

#include "scenarios/behaviour/outgoing.hpp"

namespace dpm::steps {

struct Forward {
  static const StepWords words;

  Outgoing message;

  void fields(StepFields& fields);
  void perform(Performer& performer, Activity& activity) const;
};

}  // namespace dpm::steps
