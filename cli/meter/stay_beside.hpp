// dpm meter --wait: dpm stays the program's parent and ends only when the trace is complete, so that the meter's summary
// appears before the shell's next prompt. To its caller, dpm behaves like the program: it passes signals on, and ends as
// the program ended.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "model/result.hpp"

namespace dpm::cli {

// Forks. Returns nothing in the child, which then becomes the program; its supervisor holds a RecordingLock on
// `output_directory` until it has finished. Returns dpm's exit status in the parent, after the program has ended and the
// lock is free. If a signal killed the program, the parent kills itself with the same signal.
// `before_end` is called in the parent when both are over, with the program's status as waitpid() has it. It may return an exit status
// that dpm has instead.
using BeforeEnd = std::function<std::optional<int>(int program_status)>;
Result<std::optional<int>> stay_beside(const std::string& output_directory, const BeforeEnd& before_end);

}  // namespace dpm::cli
