#include "scenarios/behaviour/steps/sleep.hpp"

#include "scenarios/behaviour/performer.hpp"

namespace dpm::steps {

const StepWords Sleep::words{15, "sleep", "sleep_s", R"({"sleep_s": TIME})",
                             "waits without CPU time; messages that come meanwhile are received later"};

void Sleep::fields(StepFields& fields) { fields.time({"sleep_s", "how long"}, time); }

void Sleep::perform(Performer& performer, Activity& activity) const {
  performer.sleep(Duration::from_seconds(performer.drawn(time, activity)));
}

}  // namespace dpm::steps
