#include "scenarios/behaviour/steps/count.hpp"

#include "scenarios/behaviour/performer.hpp"

namespace dpm::steps {

const StepWords Count::words{120, "count", "count", R"({"count": NAME, "by": V})", "adds to a variable"};

void Count::fields(StepFields& fields) {
  fields.variable({"count", "its name"}, variable);
  fields.number({"by", "1 unless given"}, by, 1);
}

void Count::perform(Performer& performer, Activity& activity) const {
  const double more = performer.drawn(by, activity);
  performer.value_of(variable, activity) += more;
}

}  // namespace dpm::steps
