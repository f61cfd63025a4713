#include "scenarios/behaviour/steps/wait.hpp"

#include "scenarios/behaviour/performer.hpp"

namespace dpm::steps {

const StepWords Wait::words{
    60, "wait", "wait", R"({"wait": KIND, "from": WHOM, "count": N, "timeout_s": TIME, "on_timeout": [...]})",
    "receives N messages of a kind, or of any of several (`[KIND, ...]`); the last becomes the message being handled; "
    "other kinds are kept for the handlers. When `timeout_s` has passed, it does `on_timeout` and waits no longer. "
    "With a timeout of 0 it takes what is there already, and otherwise does `on_timeout` at once. With "
    "`\"of_request\": "
    "true` it takes only messages of the request being handled, and those of it that come later are late"};

void Wait::fields(StepFields& fields) {
  fields.awaited_kinds({"wait", "kind, a list of kinds, or any"}, kinds);
  fields.senders({"from", "process or group it must come from; any unless given"}, from);
  fields.whole({"count", "how many messages; 1 unless given"}, count, {.otherwise = 1});
  fields.flag(
      {"of_request",
       "true: it takes only messages of the request being handled, and those that come after it are late; false "
       "unless given"},
      of_request);
  if (of_request) fields.gives_up();
  timeout.fields(fields, "how long it waits at most, 0 for not at all; without end unless given", kTime);
  for (const KindName& kind : kinds) fields.takes(kind, from);
}

void Wait::perform(Performer& performer, Activity& activity) const {
  const std::uint64_t wanted = performer.whole(count, activity);
  const auto at_most = performer.time_of(timeout, activity);
  const bool only_tries = at_most && at_most->ns == 0;
  const auto deadline = performer.deadline_in(at_most);
  Awaited awaited{kinds, from};
  if (of_request && activity.handling) awaited.request = activity.tag.request;
  for (std::uint64_t i = 0; i < wanted; ++i) {
    auto message = only_tries ? performer.take_if_there(awaited) : performer.await(awaited, deadline);
    if (!message) {
      if (!only_tries) performer.give_up(kinds, activity);
      return performer.perform(timeout.steps, activity);
    }
    performer.take(activity, *std::move(message));
  }
  if (of_request) performer.give_up(kinds, activity);
}

}  // namespace dpm::steps
