// Answers through the program's listener.
#pragma once

#include "backends/linux/supervisor/call_answers.hpp"
#include "os/kernel/seccomp_listener.hpp"

namespace dpm {

class ListenerAnswers : public CallAnswers {
 public:
  explicit ListenerAnswers(SeccompListener& listener) : listener_(listener) {}

  bool let_go(std::uint64_t id) override { return listener_.let_go(id); }
  bool fail(std::uint64_t id, int error_number) override { return listener_.fail(id, error_number); }
  bool waits(std::uint64_t id) const override { return listener_.waits(id); }

 private:
  SeccompListener& listener_;
};

}  // namespace dpm
