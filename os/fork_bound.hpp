// Processes that do not outlive us.
#pragma once

#include <sys/types.h>

#include <csignal>

namespace dpm {

// As fork(); but the child gets the signal when the thread that forked it ends, and does not begin if that was before.
pid_t fork_bound(int signal = SIGKILL);

}  // namespace dpm
