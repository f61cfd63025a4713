// A process to be acquired: what /proc tells about it before it is touched, and whether it can be acquired.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/result.hpp"
#include "os/kernel/process_files.hpp"

namespace dpm {

struct AcquireTarget {
  std::uint32_t pid = 0;
  std::uint32_t user_id = 0;
  std::string name;
  std::vector<ThreadStatus> threads;  // the living ones; the first thread first
  int filters = 0;                    // seccomp filters of its own, the same number on every thread
  int spare_number = 0;               // a high unused descriptor number, for the listener's duplicate
};

// The error says why it cannot be acquired, and what to do. Other refusals appear only in an attempt (refusals.hpp).
Result<AcquireTarget> examine_target(std::uint32_t pid);

// The beginning of all messages about it: "acquire 4711 (redis-server): "
std::string about(const AcquireTarget& target);

}  // namespace dpm
