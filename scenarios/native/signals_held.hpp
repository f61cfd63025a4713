// While it lives, the signals that would end this process wait in a descriptor, and children that have ended wait to be
// reaped. Without it they would not wait if the process that started this one ignored theirs.
#pragma once

#include <csignal>

#include "os/unique_fd.hpp"

namespace dpm::native {

class SignalsHeld {
 public:
  SignalsHeld();
  ~SignalsHeld();
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

  int descriptor() const { return descriptor_.get(); }
  int take() const;  // the signal that came
  void close_descriptor() { descriptor_.reset(); }
  const sigset_t& mask_before() const { return before_; }

 private:
  sigset_t before_ = {};
  struct sigaction child_before_ = {};
  UniqueFd descriptor_;
};

}  // namespace dpm::native
