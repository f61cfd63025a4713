#include "scenarios/behaviour/steps/call.hpp"

#include "scenarios/behaviour/performer.hpp"

namespace dpm::steps {

const StepWords Call::words{30, "call", "call",
                            R"({"call": KIND, "to": WHOM, "bytes": SIZE, "timeout_s": TIME, "on_timeout": [...]})",
                            "sends a message and waits for the reply to it. When `timeout_s` has passed, it does "
                            "`on_timeout` and waits no longer; a reply that comes later is dropped"};

void Call::fields(StepFields& fields) {
  message.fields(fields, {"call", "its kind"});
  timeout.fields(fields);
  fields.calls(message.kind, message.to);
}

void Call::perform(Performer& performer, Activity& activity) const {
  if (!performer.post(message, Performer::How::call, activity, &timeout)) performer.perform(timeout.steps, activity);
}

}  // namespace dpm::steps
