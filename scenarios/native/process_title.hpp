// What a process is called in ps, top and /proc.
#pragma once

#include <string>

namespace dpm::native {

// Makes the name (its first 15 characters) /proc/PID/comm, and the beginning of /proc/PID/cmdline, as far as the
// program's own command line leaves room. Where that is not possible, nothing happens.
void set_process_title(const std::string& name);

}  // namespace dpm::native
