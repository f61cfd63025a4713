#include "scenarios/behaviour/timeout.hpp"

namespace dpm {

void Timeout::fields(StepFields& fields) {
  fields.optional_time({"timeout_s", "how long it waits at most; without end unless given"}, after);
  fields.optional_steps({"on_timeout", "done when that time has passed; then the next step follows"}, steps);
  fields.check([this](const JsonNode& step, const Reading& reading) {
    if (const auto* node = step.find("on_timeout"); node != nullptr && !after)
      reading.problem(*node, "'on_timeout' needs 'timeout_s'");
  });
}

}  // namespace dpm
