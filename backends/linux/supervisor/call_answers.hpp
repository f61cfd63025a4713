// The supervisor's answers to the kernel about a waiting call: an interface, so that a test can see the answers.
#pragma once

#include <cstdint>

namespace dpm {

class CallAnswers {
 public:
  virtual ~CallAnswers() = default;

  // The kernel carries the call out as it was made. False if it does not wait any more.
  virtual bool let_go(std::uint64_t id) = 0;
  // The call fails with this errno without being carried out.
  virtual bool fail(std::uint64_t id, int error_number) = 0;
  // Whether the call still waits: a signal ends the wait without a message to the supervisor.
  virtual bool waits(std::uint64_t id) const = 0;
};

}  // namespace dpm
