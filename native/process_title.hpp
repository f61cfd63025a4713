// What a process is called in ps, top and /proc.
#pragma once

#include <string>

namespace dpm::native {

// From now on /proc/PID/comm is the name (its first 15 characters), and /proc/PID/cmdline begins with it, as far as the
// program's own command line leaves room. A convenience: where it cannot be done, nothing happens.
void set_process_title(const std::string& name);

}  // namespace dpm::native
