#include "scenarios/behaviour/steps/forward.hpp"

#include "scenarios/behaviour/performer.hpp"

namespace dpm::steps {

const StepWords Forward::words{
    40, "forward", "forward", R"({"forward": KIND, "to": WHOM})",
    "passes the message being handled on, with its request; `bytes` only to change its size"};

void Forward::fields(StepFields& fields) { message.fields_of_forward(fields, {"forward", "its kind"}); }

void Forward::perform(Performer& performer, Activity& activity) const {
  performer.post(message, Performer::How::forward, activity);
}

}  // namespace dpm::steps
