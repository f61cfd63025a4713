// How many processes and threads this process may still start. The limits of an account (ulimit -u), of a cgroup (pids.max) and of the
// machine count both alike, and are in different places; a trial meets them all.
#pragma once

#include <functional>
#include <string>
#include <thread>

#include "model/result.hpp"

namespace dpm {

// Starts up to `wanted` threads for a moment: as many of them as began.
unsigned startable_tasks(unsigned wanted);

// An error that says how many of `needed` tasks `user` ("the meter") can start, and which limit to raise; nothing if it can start them all.
Result<void> need_tasks(const std::string& user, unsigned needed);

// A thread, unless one of the limits was reached meanwhile.
Result<std::thread> start_thread(std::function<void()> work);

}  // namespace dpm
