// Answers the message being handled if it was a call not yet answered; otherwise the latest unanswered call of the same
// request.
#pragma once

#include "scenarios/behaviour/outgoing.hpp"

namespace dpm::steps {

struct Reply {
  static const StepWords words;

  KindName kind;
  Quantity bytes;
  std::vector<Carried> carried{};

  void fields(StepFields& fields);
  void perform(Performer& performer, Activity& activity) const;
};

}  // namespace dpm::steps
