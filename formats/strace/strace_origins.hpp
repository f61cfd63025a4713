// What the processes of a strace log began as. strace may print all calls of a process, also those that create others,
// before it prints that the process was created: only the whole log tells.
#pragma once

#include <string>
#include <vector>

#include "model/ids.hpp"

namespace dpm {

inline constexpr MachineId kLogMachine{0};  // a log is of one machine

struct StraceOrigin {
  ProcessId maker;         // none: not known
  bool is_thread = false;  // of its maker's group
  std::string program;     // that its maker had executed; empty: the one that its maker began with
};

struct StraceBeginning {
  ProcessId first_thread;  // of its group: the process itself if it has begun as one
  std::string program;     // empty: not known
};

// By process. Where origins form a circle, as in a damaged log, one of them counts as not known.
std::vector<StraceBeginning> strace_beginnings(const std::vector<StraceOrigin>& origins);

}  // namespace dpm
