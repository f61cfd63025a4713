// Child processes that do not outlive their creator.
#pragma once

#include <sys/types.h>

#include <csignal>

namespace dpm {

// As fork(), but the child gets the signal when the thread that forked it ends, or does not begin if it has ended already.
pid_t fork_bound(int signal = SIGKILL);

}  // namespace dpm
