#include "scenarios/behaviour/steps/suspend.hpp"

#include "model/process_manager.hpp"
#include "scenarios/behaviour/performer.hpp"

namespace dpm::steps {

const StepWords Suspend::words{
    155, "suspend", "suspend", R"({"suspend": WHOM})",
    "stops processes until they are resumed: they use no CPU time, and receive messages later"};

void Suspend::fields(StepFields& fields) { fields.members({"suspend", "process or group"}, processes); }

void Suspend::perform(Performer& performer, Activity&) const { performer.manage(words.verb, processes, stop_process); }

}  // namespace dpm::steps
