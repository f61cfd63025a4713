// A process that survives whatever ends its maker, and that nobody waits for: no child of ours, in a session of its
// own, deaf to every signal that can be ignored, without any descriptor but those it is given (so that nobody who reads
// a pipe waits for it), in memory that is not swapped out, and the last that the kernel would kill for memory. The last
// two where the account may ask for them.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "model/result.hpp"

namespace dpm {

struct DetachedWork {
  std::function<Result<void>()> prepare;  // what it says is what spawn_detached() returns
  std::function<void()> work;             // the process ends when this returns
};

// `name` (15 characters at most) and `description` are what ps shows of it. Descriptors keep their numbers.
Result<void> spawn_detached(const std::string& name, const std::string& description, std::span<const int> descriptors,
                            const DetachedWork& process);

}  // namespace dpm
