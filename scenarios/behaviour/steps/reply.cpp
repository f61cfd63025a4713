#include "scenarios/behaviour/steps/reply.hpp"

#include "scenarios/behaviour/performer.hpp"

namespace dpm::steps {

const StepWords Reply::words{50, "reply", "reply", R"({"reply": KIND, "bytes": SIZE})",
                             "answers the message being handled if it was a call not yet answered; otherwise the "
                             "latest unanswered call of the same request"};

void Reply::fields(StepFields& fields) {
  fields.kind({"reply", "its kind"}, kind);
  fields.bytes({"bytes", "its length"}, bytes);
  fields.carried(kCarried, carried);
  fields.check([this](const JsonNode& step, const Reading& reading) { check_room(carried, bytes, step, reading); });
  fields.needs_message("'reply'");
  fields.replies(kind);
}

void Reply::perform(Performer& performer, Activity& activity) const { performer.reply(kind, bytes, carried, activity); }

}  // namespace dpm::steps
