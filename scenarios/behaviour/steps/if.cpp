#include "scenarios/behaviour/steps/if.hpp"

#include "scenarios/behaviour/performer.hpp"

namespace dpm::steps {

const StepWords If::words{130, "if", "if", R"({"if": NAME, "at_least": V, "do": [...], "else": [...]})",
                          "does one or the other; the comparison is `at_least`, `at_most` or `equals`"};

void If::fields(StepFields& fields) {
  criterion.fields(fields, {"if", "name of a variable, or a calculation"});
  fields.steps({"do", "when it holds"}, steps);
  fields.optional_steps({"else", "when it does not"}, otherwise);
}

void If::perform(Performer& performer, Activity& activity) const {
  performer.perform(criterion.holds(performer, activity) ? steps : otherwise, activity);
}

}  // namespace dpm::steps
