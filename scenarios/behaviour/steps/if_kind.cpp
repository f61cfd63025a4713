#include "scenarios/behaviour/steps/if_kind.hpp"

#include "scenarios/behaviour/performer.hpp"

namespace dpm::steps {

const StepWords IfKind::words{
    135, "if_kind", "if_kind", R"({"if_kind": KIND, "do": [...], "else": [...]})",
    "does one or the other, by the kind of the message being handled: one kind, or any of "
    "several (`[KIND, ...]`). The answer to a `call` does not become the message being handled"};

void IfKind::fields(StepFields& fields) {
  fields.tested_kinds({"if_kind", "kind, or a list of kinds"}, kinds);
  fields.needs_message("'if_kind'");
  fields.steps({"do", "when it is of this kind"}, steps);
  fields.optional_steps({"else", "when it is not"}, otherwise);
}

void IfKind::perform(Performer& performer, Activity& activity) const {
  performer.perform(includes(kinds, performer.current(activity).code) ? steps : otherwise, activity);
}

}  // namespace dpm::steps
