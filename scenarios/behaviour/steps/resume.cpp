#include "scenarios/behaviour/steps/resume.hpp"

#include "model/process_manager.hpp"
#include "scenarios/behaviour/performer.hpp"

namespace dpm::steps {

const StepWords Resume::words{160, "resume", "resume", R"({"resume": WHOM})", "lets suspended processes go on"};

void Resume::fields(StepFields& fields) { fields.members({"resume", "process or group"}, processes); }

void Resume::perform(Performer& performer, Activity&) const { performer.manage(words.verb, processes, resume_process); }

}  // namespace dpm::steps
