// A process of a scenario, from the inside: what the operating system process does that stands for it.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <optional>

#include "native/native_calls.hpp"

namespace dpm::native {

struct Surroundings {
  pid_t launcher = 0;         // it dies with it
  sigset_t signal_mask = {};  // what the launcher's was before it ran us
  std::optional<int> core;    // where it must stay
};

// To be called in a new child. Runs the process's program, and leaves with status 0 when it has ended, or with 1 and an
// entry in the journal when it failed.
[[noreturn]] void run_as_process(const Surroundings& surroundings, Membership membership, UniqueFd listener);

}  // namespace dpm::native
