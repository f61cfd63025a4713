#include "scenarios/behaviour/steps/send.hpp"

#include "scenarios/behaviour/performer.hpp"

namespace dpm::steps {

const StepWords Send::words{20, "send", "send", R"({"send": KIND, "to": WHOM, "bytes": SIZE})",
                            "sends a message and goes on"};

void Send::fields(StepFields& fields) { message.fields(fields, {"send", "its kind"}); }

void Send::perform(Performer& performer, Activity& activity) const {
  performer.post(message, Performer::How::send, activity);
}

}  // namespace dpm::steps
