#include "scenarios/behaviour/criterion.hpp"

#include <fmt/format.h>

#include "scenarios/behaviour/performer.hpp"

namespace dpm {

void Criterion::fields(StepFields& fields, const Field& verb) {
  fields.name_or_value(verb, compared);
  fields.optional_value({"at_least", "holds from this value on"}, at_least);
  fields.optional_value({"at_most", "holds up to this value"}, at_most);
  fields.optional_value({"equals", "holds for this value"}, equals);
  fields.check([this, verb](const JsonNode& step, const Reading& reading) {
    if ((at_least ? 1 : 0) + (at_most ? 1 : 0) + (equals ? 1 : 0) != 1)
      reading.problem(step, fmt::format("{} {} step needs one of 'at_least', 'at_most' and 'equals'",
                                        verb.key[0] == 'i' ? "an" : "a", verb.key));
  });
}

bool Criterion::holds(Performer& performer, const Activity& activity) const {
  const double value = performer.number(compared, activity);
  if (at_least) return value >= performer.number(*at_least, activity);
  return at_most ? value <= performer.number(*at_most, activity) : value == performer.number(*equals, activity);
}

}  // namespace dpm
