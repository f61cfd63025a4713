// Which metered program a user means by a pid.
#pragma once

#include <cstdint>

#include "backends/linux/custody/keeper/kept_programs.hpp"
#include "model/result.hpp"

namespace dpm {

// `pid` is any process of the program, even one that has closed its descriptors and lost its parents; or the program's
// first process, which may have ended; or the program's meter. The error says that there is no such process, or that it
// does not belong to a metered program that we may see.
Result<KeptProgram> look_up_program(std::uint32_t pid);

// Whether `pid` is a process of the program whose end its meter has not seen yet. False, too, if no meter answers.
bool has_process(const KeptProgram& program, std::uint32_t pid);

}  // namespace dpm
