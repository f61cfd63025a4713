#include "scenarios/behaviour/steps/set.hpp"

#include "scenarios/behaviour/performer.hpp"

namespace dpm::steps {

const StepWords Set::words{110, "set", "set", R"({"set": NAME, "value": V})",
                           "sets a variable to a number, `\"$name\"`, `\"${...}\"` or a draw"};

void Set::fields(StepFields& fields) {
  fields.variable({"set", "its name"}, variable);
  fields.number({"value", "0 unless given"}, value, 0);
}

void Set::perform(Performer& performer, Activity& activity) const {
  performer.value_of(variable, activity) = performer.drawn(value, activity);
}

}  // namespace dpm::steps
