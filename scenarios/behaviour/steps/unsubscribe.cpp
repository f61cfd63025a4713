#include "scenarios/behaviour/steps/unsubscribe.hpp"

#include "scenarios/behaviour/performer.hpp"

namespace dpm::steps {

const StepWords Unsubscribe::words{145, "unsubscribe", "unsubscribe", R"({"unsubscribe": NAME})",
                                   "takes the sender of the message being handled off a list of `subscriptions`"};

void Unsubscribe::fields(StepFields& fields) {
  fields.subscription({"unsubscribe", "name of the list"}, list);
  fields.needs_message("'unsubscribe'");
}

void Unsubscribe::perform(Performer& performer, Activity& activity) const {
  performer.subscribers(list).remove(performer.sender_name(performer.current(activity)));
}

}  // namespace dpm::steps
