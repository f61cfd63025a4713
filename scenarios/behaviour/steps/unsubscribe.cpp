#include "scenarios/behaviour/steps/unsubscribe.hpp"

#include <algorithm>

#include "scenarios/behaviour/performer.hpp"

namespace dpm::steps {

const StepWords Unsubscribe::words{145, "unsubscribe", "unsubscribe", R"({"unsubscribe": NAME})",
                                   "takes the sender of the message being handled off a list of `subscriptions`"};

void Unsubscribe::fields(StepFields& fields) {
  fields.subscription({"unsubscribe", "name of the list"}, list);
  fields.needs_message("'unsubscribe'");
}

void Unsubscribe::perform(Performer& performer, Activity& activity) const {
  auto& subscribers = performer.subscribers(list);
  const std::string sender = performer.sender_name(performer.current(activity));
  subscribers.erase(std::remove(subscribers.begin(), subscribers.end(), sender), subscribers.end());
}

}  // namespace dpm::steps
