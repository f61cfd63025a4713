#include "scenarios/behaviour/steps/acquire.hpp"

#include "scenarios/behaviour/performer.hpp"

namespace dpm::steps {

const StepWords Acquire::words{146, "acquire", "acquire", R"({"acquire": NAME})",
                               "takes a unit of a semaphore (P), and waits until there is one"};

void Acquire::fields(StepFields& fields) { fields.semaphore({"acquire", "one of `semaphores`"}, semaphore); }

void Acquire::perform(Performer& performer, Activity&) const { performer.acquire(semaphore); }

}  // namespace dpm::steps
