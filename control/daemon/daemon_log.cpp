#include "control/daemon/daemon_log.hpp"

#include <unistd.h>

#include <cstdio>

namespace dpm {

void log_line(const std::string& line) { std::fprintf(stderr, "dpm meterd [%d]: %s\n", ::getpid(), line.c_str()); }

}  // namespace dpm
