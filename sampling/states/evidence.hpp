// What /proc shows of a thread at the instant of a sample.
#pragma once

#include <string>

#include "sampling/states/descriptor_kind.hpp"
#include "sampling/states/system_calls.hpp"

namespace dpm::sampling {

struct Evidence {
  char letter = '?';  // of /proc/PID/stat: R, S, D, T, t, Z, X, I, P
  std::string wchan;  // the function of the kernel in which it waits; "" if there is none, or we may not know it
  SystemCall call;
  DescriptorKind descriptor = DescriptorKind::none;  // that the call works on, or the only one that it polls
  bool locks_shared = false;                         // of a call that waits for a lock of fcntl

  // "S wait_woken call 0 device": unrecognised samples are counted by this.
  std::string to_text() const;
};

}  // namespace dpm::sampling
