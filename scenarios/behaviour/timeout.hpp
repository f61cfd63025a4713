// How long a step waits, and what is done when that time has passed.
#pragma once

#include <optional>

#include "scenarios/behaviour/step_fields.hpp"

namespace dpm {

struct Timeout {
  std::optional<Quantity> after;  // seconds; none: without end
  Steps steps;

  void fields(StepFields& fields, const char* meaning = "how long it waits at most; without end unless given",
              Range range = kTimeGreaterThanZero);
};

}  // namespace dpm
