#include "scenarios/behaviour/steps/if.hpp"

#include "scenarios/behaviour/performer.hpp"

namespace dpm::steps {

const StepWords If::words{130, "if", "if", R"({"if": NAME, "at_least": V, "do": [...], "else": [...]})",
                          "does one or the other; the comparison is `at_least`, `at_most` or `equals`"};

void If::fields(StepFields& fields) {
  fields.variable({"if", "name of a variable"}, variable);
  fields.optional_number({"at_least", "what it must have reached"}, at_least);
  fields.optional_number({"at_most", "what it must not exceed"}, at_most);
  fields.optional_number({"equals", "what it must be"}, equals);
  fields.steps({"do", "when it has"}, steps);
  fields.optional_steps({"else", "when it has not"}, otherwise);
  fields.check([this](const JsonNode& step, const Reading& reading) {
    if ((at_least ? 1 : 0) + (at_most ? 1 : 0) + (equals ? 1 : 0) != 1)
      reading.problem(step, "an if step needs one of 'at_least', 'at_most' and 'equals'");
  });
}

bool If::holds_for(double value) const {
  if (at_least) return value >= at_least->value;
  return at_most ? value <= at_most->value : value == equals->value;
}

void If::perform(Performer& performer, Activity& activity) const {
  performer.perform(holds_for(performer.value_of(variable)) ? steps : otherwise, activity);
}

}  // namespace dpm::steps
