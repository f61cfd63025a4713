#include "scenarios/behaviour/steps/wait.hpp"

#include "scenarios/behaviour/performer.hpp"

namespace dpm::steps {

const StepWords Wait::words{
    60, "wait", "wait", R"({"wait": KIND, "from": WHOM, "count": N})",
    "receives N messages of a kind; the last becomes the message being handled; other kinds are kept for the handlers"};

void Wait::fields(StepFields& fields) {
  fields.awaited_kind({"wait", "kind, or any"}, kind);
  fields.senders({"from", "process or group it must come from; any unless given"}, from);
  fields.whole({"count", "how many messages; 1 unless given"}, count, {.otherwise = 1});
  fields.takes(kind, from);
}

void Wait::perform(Performer& performer, Activity& activity) const {
  for (std::uint64_t i = 0; i < count.value; ++i) performer.take(activity, performer.await(kind, from));
}

}  // namespace dpm::steps
