// How long a step of a process takes, and what else is drawn.
//
// A step's time is uniform around its mean, and drawn from a stream made of the request's tag and the step. So a
// request costs the same whatever was served before it, and when two placements are compared the same requests cost the
// same on both. The tag is drawn by the user, from its own stream: another seed gives other times.
#pragma once

#include <vector>

#include "model/message_calls.hpp"
#include "scenarios/file-system/protocol.hpp"
#include "scenarios/file-system/settings.hpp"

namespace dpm::scenarios::file_system {

// `parameters`, and the one that ServiceTimes reads.
std::vector<ParameterDescription> with_service_times(std::vector<ParameterDescription> parameters);

class ServiceTimes {
 public:
  ServiceTimes(const Settings& settings, MessageCalls& calls);

  // What is drawn from now on belongs to this request, at this step of the process.
  void begin(const Request& request, MessageCode step);

  Duration around(Duration mean);
  void compute(Duration mean) { calls_.compute(around(mean)); }
  Random& random() { return random_; }

 private:
  MessageCalls& calls_;
  const double spread_;
  Random random_;
};

}  // namespace dpm::scenarios::file_system
