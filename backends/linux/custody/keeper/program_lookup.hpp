// Which metered program a user means by the number of a process.
#pragma once

#include <cstdint>

#include "backends/linux/custody/keeper/kept_programs.hpp"
#include "model/result.hpp"

namespace dpm {

// `pid` is any process of the program, be it one that has closed what it inherited and lost its parents; or the
// program's first process, which may have ended; or the program's meter. Otherwise the reason: there is no such process,
// or it belongs to no metered program that we may see.
Result<KeptProgram> look_up_program(std::uint32_t pid);

}  // namespace dpm
