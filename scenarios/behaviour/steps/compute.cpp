#include "scenarios/behaviour/steps/compute.hpp"

#include "scenarios/behaviour/performer.hpp"

namespace dpm::steps {

const StepWords Compute::words{10, "compute", "compute_s", R"({"compute_s": TIME})",
                               "uses CPU time, given for a machine of speed 1"};

void Compute::fields(StepFields& fields) { fields.time({"compute_s", "how much"}, amount); }

void Compute::perform(Performer& performer, Activity& activity) const {
  performer.compute(Duration::from_seconds(performer.drawn(amount, activity)));
}

}  // namespace dpm::steps
