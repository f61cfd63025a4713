#include "scenarios/behaviour/steps/call.hpp"

#include "scenarios/behaviour/performer.hpp"

namespace dpm::steps {

const StepWords Call::words{30, "call", "call",
                            R"({"call": KIND, "to": WHOM, "bytes": SIZE, "timeout_s": TIME, "on_timeout": [...]})",
                            "sends a message and waits for the reply to it. When `timeout_s` has passed, it does "
                            "`on_timeout` and waits no longer; a reply that comes later is dropped. With `\"pick\": "
                            "\"all\"` it calls one after the other; with `\"at_once\": true` all, and then waits for "
                            "all replies"};

void Call::fields(StepFields& fields) {
  message.fields(fields, {"call", "its kind"});
  timeout.fields(fields);
  fields.flag({"at_once",
               "true, of \"pick\": \"all\": all are called before the first reply is waited for; false unless given"},
              at_once);
  fields.check([this](const JsonNode& step, const Reading& reading) {
    if (at_once && message.pick != Pick::all)
      reading.problem(*step.find("at_once"), "'at_once' belongs to \"pick\": \"all\"");
  });
  fields.calls(message.kind, message.to);
}

void Call::perform(Performer& performer, Activity& activity) const {
  const auto how = at_once ? Performer::How::call_at_once : Performer::How::call;
  if (!performer.post(message, how, activity, &timeout)) performer.perform(timeout.steps, activity);
}

}  // namespace dpm::steps
