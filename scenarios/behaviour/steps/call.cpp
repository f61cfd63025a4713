#include "scenarios/behaviour/steps/call.hpp"

#include "scenarios/behaviour/performer.hpp"

namespace dpm::steps {

const StepWords Call::words{30, "call", "call", R"({"call": KIND, "to": WHOM, "bytes": SIZE})",
                            "sends a message and waits for the reply to it"};

void Call::fields(StepFields& fields) { message.fields(fields, {"call", "its kind"}); }

void Call::perform(Performer& performer, Activity& activity) const {
  performer.post(message, Performer::How::call, activity);
}

}  // namespace dpm::steps
