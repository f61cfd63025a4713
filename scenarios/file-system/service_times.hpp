// How long a step of a process takes, and what else is drawn.
//
// A step's time is uniform around its mean. It is drawn from the process's own stream, so a process that serves the same
// requests in another order gives them other times. An oblivious process instead draws from a stream made of the
// request's tag and the step: it reacts to the message alone, whatever it did before, and a request costs the same on
// every placement. That is the program for which a prediction in arrival order must be exact.
#pragma once

#include <vector>

#include "model/message_calls.hpp"
#include "scenarios/file-system/protocol.hpp"
#include "scenarios/file-system/settings.hpp"

namespace dpm::scenarios::file_system {

// `parameters`, and those that ServiceTimes reads: spread and oblivious.
std::vector<ParameterDescription> with_service_times(std::vector<ParameterDescription> parameters);

class ServiceTimes {
 public:
  ServiceTimes(const Settings& settings, MessageCalls& calls);

  // What is drawn from now on belongs to this request, at this step of the process.
  void begin(const Request& request, MessageCode step);

  Duration around(Duration mean);
  void compute(Duration mean) { calls_.compute(around(mean)); }
  Random& random() { return oblivious_ ? of_request_ : calls_.random(); }
  bool oblivious() const { return oblivious_; }

 private:
  MessageCalls& calls_;
  const double spread_;
  const bool oblivious_;
  Random of_request_;
};

}  // namespace dpm::scenarios::file_system
