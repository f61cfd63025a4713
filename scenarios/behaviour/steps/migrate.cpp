#include "scenarios/behaviour/steps/migrate.hpp"

#include "model/process_manager.hpp"
#include "scenarios/behaviour/performer.hpp"

namespace dpm::steps {

const StepWords Migrate::words{170, "migrate", "migrate", R"({"migrate": WHOM, "machine": NAME})",
                               "moves running processes to another machine, with the messages that wait for them"};

void Migrate::fields(StepFields& fields) {
  fields.members({"migrate", "process or group"}, processes);
  fields.machine({"machine", "where to"}, machine);
}

void Migrate::perform(Performer& performer, Activity&) const {
  performer.manage(words.verb, processes, [this](MessageCalls& calls, std::string_view process) {
    return migrate_process(calls, process, machine);
  });
}

}  // namespace dpm::steps
