#include "scenarios/behaviour/steps/destroy.hpp"

#include "model/process_manager.hpp"
#include "scenarios/behaviour/performer.hpp"

namespace dpm::steps {

const StepWords Destroy::words{165, "destroy", "destroy", R"({"destroy": WHOM})",
                               "ends other processes; messages that wait for them are lost"};

void Destroy::fields(StepFields& fields) { fields.members({"destroy", "process or group"}, processes); }

void Destroy::perform(Performer& performer, Activity&) const {
  performer.manage(words.verb, processes, destroy_process);
}

}  // namespace dpm::steps
