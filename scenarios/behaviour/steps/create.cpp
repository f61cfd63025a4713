#include "scenarios/behaviour/steps/create.hpp"

#include "model/process_manager.hpp"
#include "scenarios/behaviour/performer.hpp"

namespace dpm::steps {

const StepWords Create::words{
    150, "create", "create", R"({"create": WHOM})",
    "creates and starts processes of the scenario that have `created_later`, on their machine"};

void Create::fields(StepFields& fields) {
  fields.members({"create", "process or group that is created later"}, processes);
  fields.creates(processes);
}

void Create::perform(Performer& performer, Activity&) const {
  performer.manage(words.verb, processes, create_and_start_process);
}

}  // namespace dpm::steps
