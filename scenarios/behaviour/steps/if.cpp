#include "scenarios/behaviour/steps/if.hpp"

#include "scenarios/behaviour/performer.hpp"

namespace dpm::steps {

const StepWords If::words{130, "if", "if", R"({"if": NAME, "at_least": V, "do": [...], "else": [...]})",
                          "does one or the other"};

void If::fields(StepFields& fields) {
  fields.variable({"if", "name of a variable"}, variable);
  fields.number({"at_least", "what it must have reached"}, at_least, std::nullopt);
  fields.steps({"do", "when it has"}, steps);
  fields.optional_steps({"else", "when it has not"}, otherwise);
}

void If::perform(Performer& performer, Activity& activity) const {
  performer.perform(performer.value_of(variable) >= at_least.value ? steps : otherwise, activity);
}

}  // namespace dpm::steps
