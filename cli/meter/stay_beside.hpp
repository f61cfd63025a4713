// dpm meter --wait: dpm stays the program's parent and ends only when the trace is complete, so that what the meter has
// to say comes before the shell's next prompt. To whoever started it, dpm behaves as the program does: signals are
// passed on, and it ends as the program ended.
#pragma once

#include <optional>
#include <string>

#include "model/result.hpp"

namespace dpm::cli {

// Forks. In the child: nothing, to become the program with a supervisor that holds a RecordingLock on
// `output_directory` until it is through. In the parent, after the program has ended and the lock is free: dpm's exit status; a program that was
// killed by a signal has the parent killed by it too.
Result<std::optional<int>> stay_beside(const std::string& output_directory);

}  // namespace dpm::cli
