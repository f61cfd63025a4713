// Receives messages of one kind or several; the last becomes the one being handled. Other kinds are kept for the handlers.
#pragma once

#include "scenarios/behaviour/timeout.hpp"

namespace dpm::steps {

struct Wait {
  static const StepWords words;

  KindNames kinds;
  Whom from;
  Value count = 1;
  bool of_request = false;
  Timeout timeout;

  void fields(StepFields& fields);
  void perform(Performer& performer, Activity& activity) const;
};

}  // namespace dpm::steps
