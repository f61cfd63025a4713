#include "scenarios/behaviour/steps/wait.hpp"

#include "scenarios/behaviour/performer.hpp"

namespace dpm::steps {

const StepWords Wait::words{
    60, "wait", "wait", R"({"wait": KIND, "from": WHOM, "count": N, "timeout_s": TIME, "on_timeout": [...]})",
    "receives N messages of a kind, or of any of several (`[KIND, ...]`); the last becomes the message being handled; "
    "other kinds are kept for the handlers. When `timeout_s` has passed, it does `on_timeout` and waits no longer"};

void Wait::fields(StepFields& fields) {
  fields.awaited_kinds({"wait", "kind, a list of kinds, or any"}, kinds);
  fields.senders({"from", "process or group it must come from; any unless given"}, from);
  fields.whole({"count", "how many messages; 1 unless given"}, count, {.otherwise = 1});
  timeout.fields(fields);
  for (const KindName& kind : kinds) fields.takes(kind, from);
}

void Wait::perform(Performer& performer, Activity& activity) const {
  const auto deadline = performer.deadline_of(timeout, activity);
  for (std::uint64_t i = 0; i < count.value; ++i) {
    auto message = performer.await(kinds, from, deadline);
    if (!message) {
      performer.give_up(kinds, activity);
      return performer.perform(timeout.steps, activity);
    }
    performer.take(activity, *std::move(message));
  }
}

}  // namespace dpm::steps
