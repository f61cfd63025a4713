#include "scenarios/behaviour/timeout.hpp"

namespace dpm {

void Timeout::fields(StepFields& fields, const char* meaning, Range range) {
  fields.optional_time({"timeout_s", meaning}, after, range);
  fields.optional_steps({"on_timeout", "done when that time has passed; then the next step follows"}, steps);
  fields.check([this](const JsonNode& step, const Reading& reading) {
    if (const auto* node = step.find("on_timeout"); node != nullptr && !after)
      reading.problem(*node, "'on_timeout' needs 'timeout_s'");
  });
}

}  // namespace dpm
