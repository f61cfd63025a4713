// What an operating system process does that runs a process of a scenario.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <optional>

#include "scenarios/native/native_calls.hpp"

namespace dpm::native {

struct Surroundings {
  pid_t launcher = 0;         // when it ends, the process is killed
  sigset_t signal_mask = {};  // the launcher's, before the run
  std::optional<int> core;    // where it must stay
};

// To be called in a new child. Runs the process's program, and leaves with status 0 when it has ended, or with 1 and an
// entry in the journal when it failed.
[[noreturn]] void run_as_process(const Surroundings& surroundings, Membership membership, UniqueFd listener);

}  // namespace dpm::native
