#include "scenarios/behaviour/steps/subscribe.hpp"

#include "scenarios/behaviour/performer.hpp"

namespace dpm::steps {

const StepWords Subscribe::words{140, "subscribe", "subscribe", R"({"subscribe": NAME})",
                                 "puts the sender of the message being handled on a list of `subscriptions`, once"};

void Subscribe::fields(StepFields& fields) {
  fields.subscription({"subscribe", "name of the list"}, list);
  fields.needs_message("'subscribe'");
}

void Subscribe::perform(Performer& performer, Activity& activity) const {
  performer.subscribers(list).add(performer.sender_name(performer.current(activity)));
}

}  // namespace dpm::steps
