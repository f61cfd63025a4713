#include "scenarios/behaviour/steps/repeat.hpp"

#include "scenarios/behaviour/performer.hpp"

namespace dpm::steps {

const StepWords Repeat::words{80, "repeat", "repeat", R"({"repeat": N, "do": [...]})", "does steps N times"};

void Repeat::fields(StepFields& fields) {
  fields.whole({"repeat", "how often"}, times, {});
  fields.steps({"do", "what"}, steps);
}

void Repeat::perform(Performer& performer, Activity& activity) const {
  const std::uint64_t rounds = performer.whole(times, activity);
  for (std::uint64_t i = 0; i < rounds; ++i) performer.perform(steps, activity);
}

}  // namespace dpm::steps
