// A process that survives everything that ends its creator. It is not our child, has its own session, ignores every signal
// that can be ignored, and holds only the descriptors that it is given, so that no reader of a pipe waits for it. If the
// account may, its memory is locked, and it is the last process that the kernel kills for memory.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "model/result.hpp"

namespace dpm {

struct DetachedWork {
  std::function<Result<void>()> prepare;  // its result is that of spawn_detached()
  std::function<void()> work;             // the process ends when this returns
};

// ps shows `name` (at most 15 characters) and `description`. Descriptors keep their numbers.
Result<void> spawn_detached(const std::string& name, const std::string& description, std::span<const int> descriptors,
                            const DetachedWork& process);

}  // namespace dpm
