// Nobody is harmed when a meter dies: beside each there is a keeper (keeper_process.hpp) that then answers the
// program's calls, until the program ends or another meter takes over.
//
//     supervisor ── start_keeper() ──► keeper ── answers as soon as the supervisor is dead
//     another dpm ── take_over(pid) ──► gets the listener and the slots from the keeper
//
// Both killed: rescue.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/linux/capture/program/metered_program.hpp"
#include "backends/linux/custody/keeper/kept_programs.hpp"
#include "model/result.hpp"

namespace dpm {

// Called by the process that meters the program, before the program may run: from then on that process may be killed at
// any time and no call fails.
//
// `outputs`: pipes that we read and the program writes to. A writer without reader is killed by its next word: when we
// are dead the keeper reads them, and throws away what comes.
Result<void> start_keeper(const MeteredProgram& program, std::vector<UniqueFd> outputs = {});

// The calling process becomes the meter of a program that nobody meters at the moment. `pid` is any process of it.
// `from_start` is false: what happened meanwhile was not seen. Refused, with the reason, if the process belongs to no
// kept program, if another process meters it, or if the keeper belongs to another account.
Result<MeteredProgram> take_over(std::uint32_t pid);
Result<MeteredProgram> take_over(const KeptProgram& program);

// The keeper answers from now on although the calling process, which metered the program until now, goes on. What it
// does not answer itself after this is let go, held calls included.
Result<void> leave_to_keeper(const MeteredProgram& program);

}  // namespace dpm
