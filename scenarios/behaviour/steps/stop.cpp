#include "scenarios/behaviour/steps/stop.hpp"

#include "scenarios/behaviour/performer.hpp"

namespace dpm::steps {

const StepWords Stop::words{100, "stop", "stop", R"({"stop": true})", "ends the process"};

void Stop::fields(StepFields& fields) {
  fields.always_true({"stop", "true"});
  fields.ends_process();
}

void Stop::perform(Performer& performer, Activity&) const { performer.calls().stop_task(); }

}  // namespace dpm::steps
