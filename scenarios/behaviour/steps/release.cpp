#include "scenarios/behaviour/steps/release.hpp"

#include "scenarios/behaviour/performer.hpp"

namespace dpm::steps {

const StepWords Release::words{147, "release", "release", R"({"release": NAME})",
                               "gives a unit to a semaphore (V); the process that has waited longest takes it"};

void Release::fields(StepFields& fields) { fields.semaphore({"release", "one of `semaphores`"}, semaphore); }

void Release::perform(Performer& performer, Activity&) const { performer.release(semaphore); }

}  // namespace dpm::steps
