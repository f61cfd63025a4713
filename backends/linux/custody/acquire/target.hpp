// A process that is to be acquired, as it is found: what /proc says about it before it is touched, and whether it can
// be acquired at all.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backends/linux/capture/kernel/process_files.hpp"
#include "model/result.hpp"

namespace dpm {

struct AcquireTarget {
  std::uint32_t pid = 0;
  std::uint32_t user_id = 0;
  std::string name;
  std::vector<ThreadStatus> threads;  // those that live; the first thread first
  int filters = 0;                    // seccomp filters of its own, the same number on every thread
  int spare_number = 0;               // a high descriptor number that it does not use: for the listener's duplicate
};

// Or why not, and what to do about it. What only an attempt can tell (refusals.hpp) is not asked here.
Result<AcquireTarget> examine_target(std::uint32_t pid);

// How all messages about one begin: "acquire 4711 (redis-server): "
std::string about(const AcquireTarget& target);

}  // namespace dpm
